import { canonicalIp, formatCidr, ipFamily, parseCidr } from '@kubernode/machinery';

/** What to say of an address that is valid, but not written as it should be (GetWarningsForIP). */
export function ipWarnings(value: string | undefined, path: string): string[] {
  if (!value) return [];
  const text = ipFamily(value) ? value : value.replace(/(^|\.)0+(?=\d)/g, '$1');
  const canonical = canonicalIp(text);
  if (canonical === undefined || canonical === value) return [];
  const isStandard = text === value && ipFamily(canonical) === 'IPv6';
  return isStandard
    ? [`${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format ("${canonical}")`]
    : [`${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use "${canonical}"`];
}

/** The same of a network (GetWarningsForCIDR). */
export function cidrWarnings(value: string | undefined, path: string): string[] {
  const network = parseCidr(value ?? '');
  if (!network) return [];
  const canonical = formatCidr(network);
  if (canonical === value) return [];
  const quoted = JSON.stringify(value);
  const address = value?.split('/')[0] ?? '';
  if (canonicalIp(address) !== canonical.split('/')[0]) {
    const single = `${canonicalIp(address)}/${network.family === 'IPv4' ? 32 : 128}`;
    return [`${path}: CIDR value ${quoted} is ambiguous in this context (should be "${canonical}" or "${single}"?)`];
  }
  return network.family === 'IPv6'
    ? [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format ("${canonical}")`]
    : [`${path}: non-standard CIDR value ${quoted} is invalid: use "${canonical}"`];
}
