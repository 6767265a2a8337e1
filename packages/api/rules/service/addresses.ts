import { ipAddress, ipFamily } from '@kubernode/machinery';
import type { ServiceSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required } from '../cause.ts';
import type { Rule } from '../rule.ts';
import { firstIndexes } from '../repeated.ts';

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** The addresses of a service and their families (ValidateServiceClusterIPsRelatedFields); whether they are free is the allocator's. */
export const addresses: Rule<ServiceSpec> = (spec, path, old) => {
  if (spec.type === 'ExternalName') return [];
  const { clusterIP = '', clusterIPs: ips = [], ipFamilies = [], ipFamilyPolicy: policy } = spec;
  const at = `${path}.clusterIPs`;
  const found: FieldCause[] = [];
  if (clusterIP && ips.length === 0) found.push(required(at));
  else if (clusterIP && ips[0] !== clusterIP) found.push(invalid(at, ips, 'first value must match `clusterIP`'));
  else if (!clusterIP && ips.length > 0)
    found.push(invalid(at, ips, 'must be empty when `clusterIP` is not specified'));
  const first = firstIndexes(ipFamilies);
  ipFamilies.forEach((family, index) => {
    const item = `${path}.ipFamilies[${index}]`;
    if (!families.includes(family)) found.push(notSupported(item, family, families));
    if (first.get(family)! < index) found.push(duplicate(item, family));
  });
  if (policy !== undefined && !policies.includes(policy)) {
    found.push(notSupported(`${path}.ipFamilyPolicy`, policy, policies));
  }
  const wrong = ips.flatMap((ip, index) => {
    if (index === 0 && ip === 'None')
      return ips.length > 1 ? [invalid(at, ips, "'None' must be the first and only value")] : [];
    if (old?.clusterIPs?.includes(ip)) return [];
    return ipAddress(ip).map((detail) => invalid(`${at}[${index}]`, ip, detail));
  });
  found.push(...wrong);
  if (ips.length > 2) found.push(invalid(at, ips, 'may only hold up to 2 values'));
  return wrong.length > 0 ? found : [...found, ...familyCauses(spec, at)];
};

function familyCauses(spec: ServiceSpec, at: string): FieldCause[] {
  const { clusterIPs: ips = [], ipFamilies = [] } = spec;
  const found: FieldCause[] = [];
  if (ips.length > 1 && new Set(ips.map(ipFamily)).size !== 2)
    found.push(invalid(at, ips, 'may specify no more than one IP for each IP family'));
  if (isHeadless(spec)) return found;
  ips.slice(0, ipFamilies.length).forEach((ip, index) => {
    const wanted = ipFamilies[index] ?? '';
    if (families.includes(wanted) && ipFamily(ip) !== wanted) {
      const detail = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``;
      found.push(invalid(`${at}[${index}]`, ip, detail));
    }
  });
  return found;
}

const isHeadless = ({ clusterIPs }: ServiceSpec) => clusterIPs?.length === 1 && clusterIPs[0] === 'None';
const hasNoAddress = ({ type }: ServiceSpec) => type === 'ExternalName';

/** Once given, addresses and families stay; the second of two may be added or, by the policy, released. */
export const keptAddresses: Rule<ServiceSpec> = (spec, path, old) => {
  if (!old || hasNoAddress(old) || hasNoAddress(spec)) return [];
  const found: FieldCause[] = [];
  if (!(isHeadless(old) && isHeadless(spec))) found.push(...kept(spec, old, path, 'clusterIPs'));
  if (!isHeadless(old) && !isHeadless(spec)) found.push(...kept(spec, old, path, 'ipFamilies'));
  return found;
};

function kept(spec: ServiceSpec, old: ServiceSpec, path: string, name: 'clusterIPs' | 'ipFamilies'): FieldCause[] {
  const [after = [], before = []] = [spec[name], old[name]];
  const one = name === 'clusterIPs' ? 'clusterIP' : 'ipFamily';
  const at = (index: number) => `${path}.${name}[${name === 'clusterIPs' ? index : 0}]`;
  const changed = (index: number) => invalid(at(index), after, 'may not change once set');
  if (before.length === after.length) {
    return before.flatMap((value, index) => (value === after[index] ? [] : [changed(index)]));
  }
  const found: FieldCause[] = [];
  const isReduced = before.length > after.length;
  if (isReduced && (spec.clusterIPs ?? []).length === 0)
    found.push(invalid(at(0), after, `primary ${one} can not be unset`));
  if (before.length > 0 && after.length > 0 && after[0] !== before[0]) found.push(changed(0));
  if (isReduced && after.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${one}`;
    found.push(invalid(`${path}.ipFamilyPolicy`, spec.ipFamilyPolicy, detail));
  }
  return found;
}
