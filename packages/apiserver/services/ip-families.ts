import { serviceAddresses, StatusError, type FieldCause } from '@kubernode/api';
import type { Service, ServiceSpec } from '@kubernode/api/core/v1';
import { ipFamily, type IpFamily } from '@kubernode/machinery';
import { allocatorOf, cause, type ServiceAllocators } from './allocators.ts';

const isHeadless = (spec: ServiceSpec) => spec.clusterIPs?.[0] === 'None' || spec.clusterIP === 'None';
const isSelectorless = (spec: ServiceSpec) => Object.keys(spec.selector ?? {}).length === 0;
const otherFamily = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');
const sameList = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/**
 * Whether nothing is to be done because a Service that prefers dual-stack asks for what it has: a cluster that becomes
 * dual-stack must not change the Services that are there.
 */
export function keepsPreference(service: Service, old: Service | undefined): boolean {
  const { spec } = service;
  return (
    old !== undefined &&
    old.spec.type === spec.type &&
    spec.type !== 'ExternalName' &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.spec.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameList(old.spec.clusterIPs, spec.clusterIPs) &&
    sameList(old.spec.ipFamilies, spec.ipFamilies)
  );
}

/**
 * Fills in `ipFamilyPolicy` and `ipFamilies` from what the cluster has and the Service asks for (KEP-563). Throws
 * StatusError Invalid where they do not go together.
 */
export function initIpFamilies(service: Service, old: Service | undefined, allocators: ServiceAllocators): void {
  const { spec } = service;
  if (spec.type === 'ExternalName' || keepsPreference(service, old)) return;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? defaultPolicy(spec);
  refuse(service, serviceAddresses(spec, 'spec', old?.spec));
  refuse(service, [
    ...(old ? releaseSecondary(spec, old.spec) : []),
    ...singleStackCauses(spec),
    ...inferFamilies(spec, allocators),
  ]);
  const families = spec.ipFamilies ?? [];
  const isFree = isHeadless(spec) && isSelectorless(spec);
  if (!isFree) refuse(service, configuredCauses(spec, allocators));
  const [first = allocators.ips[0]?.family ?? 'IPv4'] = families;
  const wantsBoth = spec.ipFamilyPolicy !== 'SingleStack' && (isFree || allocators.ips.length === 2);
  if (families.length < 2) spec.ipFamilies = wantsBoth ? [first, otherFamily(first)] : [first];
}

const defaultPolicy = (spec: ServiceSpec) =>
  isHeadless(spec) && isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack';

function refuse(service: Service, causes: readonly FieldCause[]): void {
  if (causes.length === 0) return;
  throw StatusError.invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', causes);
}

/** Going back to one family is asked for by the policy, and by nothing else. */
function releaseSecondary(spec: ServiceSpec, old: ServiceSpec): FieldCause[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (clusterIPs.length > 1 && sameList(clusterIPs, old.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && sameList(ipFamilies, old.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const causes: FieldCause[] = [];
  const isReduced = (after: readonly string[], before: readonly string[] = []) =>
    after.length > 0 && after.length < before.length;
  const blame = (what: string) =>
    causes.push(
      cause('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`),
    );
  if (isReduced(clusterIPs, old.clusterIPs)) blame('cluster IP');
  if (isReduced(ipFamilies, old.ipFamilies)) blame('IP family');
  return causes;
}

function singleStackCauses(spec: ServiceSpec): FieldCause[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const causes: FieldCause[] = [];
  const blame = (what: string) => {
    const why = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    causes.push(cause('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why));
  };
  if (spec.clusterIPs?.length === 2) blame('cluster IPs');
  if (spec.ipFamilies?.length === 2) blame('IP families');
  return causes;
}

/** An address that the client chose says which family it is of. */
function inferFamilies(spec: ServiceSpec, allocators: ServiceAllocators): FieldCause[] {
  const causes: FieldCause[] = [];
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    const family = ipFamily(ip);
    if (index < families.length || family === undefined) continue;
    if (allocatorOf(allocators, family)) families.push(family);
    else
      causes.push(cause(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec.ipFamilies = families;
  return causes;
}

function configuredCauses(spec: ServiceSpec, allocators: ServiceAllocators): FieldCause[] {
  const causes: FieldCause[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && allocators.ips.length < 2) {
    const why = 'this cluster is not configured for dual-stack services';
    causes.push(cause('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why));
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (allocatorOf(allocators, family)) continue;
    causes.push(cause(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  }
  return causes;
}
