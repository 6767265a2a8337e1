import type { IPAddress, ServiceCIDR } from '@kubernode/api/networking/v1';
import { cidrContains, ipOf, parseCidr, type Cidr } from '@kubernode/machinery';

const managedBy = 'ipaddress.kubernetes.io/managed-by';

const cidrsOf = ({ spec }: ServiceCIDR): Cidr[] =>
  (spec.cidrs ?? []).flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr ? [cidr] : [];
  });

/** Whether the address is of one of the ranges. */
export function contains(serviceCidr: ServiceCIDR, ip: string): boolean {
  return cidrsOf(serviceCidr).some((cidr) => cidrContains(cidr, ip));
}

/** One of two ranges that overlap contains the other. */
export function overlaps(one: ServiceCIDR, other: ServiceCIDR): boolean {
  return cidrsOf(one).some((a) => cidrsOf(other).some((b) => containsCidr(a, b) || containsCidr(b, a)));
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false;
  return cidrContains(outer, ipOf(inner.base, inner.family));
}

/** Those that the allocator of Services made. */
export function addressesOf(addresses: readonly IPAddress[]): string[] {
  return addresses
    .filter(({ metadata }) => metadata.labels?.[managedBy] === 'ipallocator.k8s.io')
    .map(({ metadata }) => metadata.name);
}

/** Whether addresses would be without a range if this one went. What lies in other ranges whole may always go. */
export function isHeldUp(serviceCidr: ServiceCIDR, all: readonly ServiceCIDR[], ips: readonly string[]): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== serviceCidr.metadata.name);
  const isInside = (cidr: Cidr) => others.some((other) => cidrsOf(other).some((outer) => containsCidr(outer, cidr)));
  if (cidrsOf(serviceCidr).every(isInside)) return false;
  return ips.some((ip) => contains(serviceCidr, ip) && !others.some((other) => contains(other, ip)));
}
