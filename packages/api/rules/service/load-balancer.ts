import { dns1123Subdomain, ipAddress, isIp, wildcardDns1123Subdomain } from '@kubernode/machinery';
import type { FieldCause } from '../../status-error.ts';
import { ipWarnings } from './ip-warnings.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';

interface Ingress {
  readonly ip?: string | undefined;
  readonly hostname?: string | undefined;
  readonly ipMode?: string | undefined;
}

/** Where a load balancer answers: addresses and names; only a service of that type has any. */
export function loadBalancerStatus(
  { ingress = [] }: { readonly ingress?: readonly Ingress[] | undefined },
  isAllowed = true,
  { hasMode = true, old = [] }: { readonly hasMode?: boolean; readonly old?: readonly Ingress[] | undefined } = {},
): readonly FieldCause[] {
  const path = 'status.loadBalancer.ingress';
  if (!isAllowed)
    return ingress.length > 0 ? [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")] : [];
  const before = new Set(old.map(({ ip }) => ip));
  return ingress.flatMap(({ ip, hostname, ipMode }, index) => {
    const at = `${path}[${index}]`;
    const isNew = ip !== undefined && !before.has(ip);
    const found: FieldCause[] = ip && isNew ? ipAddress(ip).map((detail) => invalid(`${at}.ip`, ip, detail)) : [];
    if (hasMode && ip && ipMode === undefined)
      found.push(requiredCause(`${at}.ipMode`, 'must be specified when `ip` is set'));
    if (ipMode !== undefined && !ip) found.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'));
    else if (ipMode !== undefined && !['Proxy', 'VIP'].includes(ipMode))
      found.push(notSupported(`${at}.ipMode`, ipMode, ['Proxy', 'VIP']));
    if (!hostname) return found;
    found.push(...dns1123Subdomain(hostname).map((detail) => invalid(`${at}.hostname`, hostname, detail)));
    if (isIp(hostname)) found.push(invalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'));
    return found;
  });
}

/** Addresses that should be written otherwise. */
export const ingressWarnings = (ingress: readonly Ingress[] = []): readonly string[] =>
  ingress.flatMap(({ ip }, index) => ipWarnings(ip, `status.loadBalancer.ingress[${index}]`));

/** A host that rules are for, with or without a wildcard in front; never an address. */
export function hostCauses(host: string, path: string): FieldCause[] {
  const found: FieldCause[] = isIp(host) ? [invalid(path, host, 'must be a DNS name, not an IP address')] : [];
  const messages = host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
  return [...found, ...messages.map((detail) => invalid(path, host, detail))];
}
