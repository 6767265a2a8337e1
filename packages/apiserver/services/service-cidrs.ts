import type { ServiceCIDR } from '@kubernode/api/networking/v1';
import { cidrContains, parseCidr, type IpFamily } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { FamilyAllocator, type Network } from './family-allocator.ts';

const group = 'networking.k8s.io';
const defaultName = 'kubernetes';

/** A ServiceCIDR without a condition is ready: its controller may not be there. */
export function isReady({ status }: ServiceCIDR): boolean {
  return (status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'True') === 'True';
}

const serviceCidrsOf = (state: ClusterState) => state.list(group, 'servicecidrs') as unknown as readonly ServiceCIDR[];

/** Whether an address is of any ServiceCIDR, ready or not. */
export function isInServiceCidr(state: ClusterState, ip: string): boolean {
  return serviceCidrsOf(state).some(({ spec }) =>
    (spec.cidrs ?? []).some((text) => {
      const cidr = parseCidr(text);
      return cidr !== undefined && cidrContains(cidr, ip);
    }),
  );
}

/**
 * The allocators of a cluster's families, which follow its ServiceCIDRs; `stop` ends that. Until the default ServiceCIDR
 * is there, `ranges` (`--service-cluster-ip-range`) stand for it. Throws where one of them is no network.
 */
export function followServiceCidrs(
  state: ClusterState,
  ranges: readonly string[],
): { readonly families: readonly FamilyAllocator[]; readonly stop: () => void } {
  const isTaken = (ip: string) => state.get(group, 'ipaddresses', ip) !== undefined;
  const families = ranges.map((range) => new FamilyAllocator(familyOf(range), isTaken));
  const update = () => {
    const networks = networksOf(state, ranges);
    for (const family of families) family.setNetworks(networks.filter(({ cidr }) => familyOf(cidr) === family.family));
  };
  update();
  return { families, stop: state.onChange(group, 'servicecidrs', update) };
}

/** The default ones first. */
function networksOf(state: ClusterState, ranges: readonly string[]): Network[] {
  const byCidr = new Map<string, boolean>();
  const known = serviceCidrsOf(state).toSorted((a, b) => order(a) - order(b));
  if (!known.some(({ metadata }) => metadata.name === defaultName)) for (const range of ranges) byCidr.set(range, true);
  for (const serviceCidr of known) {
    const ready = isReady(serviceCidr) && !serviceCidr.metadata.deletionTimestamp;
    // A network that two ServiceCIDRs bring is as ready as the better of them.
    for (const cidr of serviceCidr.spec.cidrs ?? []) byCidr.set(cidr, ready || byCidr.get(cidr) === true);
  }
  return [...byCidr].map(([cidr, ready]) => ({ cidr, isReady: ready }));
}

const order = ({ metadata }: ServiceCIDR) => (metadata.name === defaultName ? 0 : 1);

function familyOf(text: string): IpFamily {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`the service range ${JSON.stringify(text)} is not a network such as "10.96.0.0/16"`);
  return cidr.family;
}
