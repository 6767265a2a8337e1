import { ipAddress, ipFamily } from '@kubernode/machinery';
import type { ServiceSpec } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported } from '../cause.ts';
import type { Rule } from '../rule.ts';

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** The addresses of a service and their families (ValidateServiceClusterIPsRelatedFields); whether they are free is the allocator's. */
export const addresses: Rule<ServiceSpec> = (spec, path) => {
  if (spec.type === 'ExternalName') return notForNames(spec, path);
  const { ipFamilies = [], ipFamilyPolicy: policy } = spec;
  const found: FieldCause[] = [];
  ipFamilies.forEach((family, index) => {
    const at = `${path}.ipFamilies[${index}]`;
    if (!families.includes(family)) found.push(notSupported(at, family, families));
    if (ipFamilies.indexOf(family) < index) found.push(duplicate(at, family));
  });
  if (policy !== undefined && !policies.includes(policy)) {
    found.push(notSupported(`${path}.ipFamilyPolicy`, policy, policies));
  }
  return [...found, ...clusterIPs(spec, path)];
};

function notForNames({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  if (ipFamilyPolicy !== undefined) {
    found.push(forbidden(`${path}.ipFamilyPolicy`, 'may not be set for ExternalName services'));
  }
  if (ipFamilies.length > 0) found.push(forbidden(`${path}.ipFamilies`, 'may not be used for ExternalName services'));
  return found;
}

function clusterIPs(
  { clusterIP = '', clusterIPs: ips = [], ipFamilies = [] }: ServiceSpec,
  path: string,
): FieldCause[] {
  const at = `${path}.clusterIPs`;
  const found: FieldCause[] = [];
  if (ips.length === 0) return found;
  if (clusterIP !== ips[0]) found.push(invalid(at, ips, 'first value must match `clusterIP`'));
  ips.forEach((ip, index) => {
    if (ip === 'None' && ips.length === 1) return;
    const item = `${at}[${index}]`;
    if (ip === 'None') found.push(invalid(item, ip, '`None` must be the first and only value'));
    else found.push(...ipAddress(ip).map((detail) => invalid(item, ip, detail)));
    const family = ipFamily(ip);
    const wanted = ipFamilies[index];
    if (family && wanted && family !== wanted && families.includes(wanted)) {
      found.push(invalid(item, ip, `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``));
    }
  });
  if (ips.length > 2) found.push(invalid(at, ips, 'may only hold up to 2 values'));
  if (ips.length === 2 && ipFamily(ips[0] ?? '') && ipFamily(ips[0] ?? '') === ipFamily(ips[1] ?? '')) {
    found.push(invalid(at, ips, 'may specify no more than one IP for each IP family'));
  }
  return found;
}

/** Once given, addresses stay, while the service keeps a type that has them. */
export const keptAddresses: Rule<ServiceSpec> = (spec, path, old) => {
  if (!old || old.type === 'ExternalName' || spec.type === 'ExternalName') return [];
  const before = old.clusterIPs ?? [];
  const after = spec.clusterIPs ?? [];
  const at = `${path}.clusterIPs`;
  if (before.length === 0) return [];
  if (after.length === 0) return [invalid(`${at}[0]`, after, 'primary clusterIP can not be unset')];
  if (after[0] !== 'None' && !ipFamily(after[0] ?? '')) return [];
  if (after[0] !== before[0]) return [invalid(`${at}[0]`, after, 'may not change once set')];
  if (after.length > 1 && before.length > 1 && after[1] !== before[1]) {
    return [invalid(`${at}[1]`, after, 'may not change once set')];
  }
  return [];
};
