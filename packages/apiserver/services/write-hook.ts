import { StatusError } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { HookedWrite, Undo, WriteHook } from '../seams.ts';
import type { AllocatorMetrics } from './allocator-metrics.ts';
import type { ServiceAllocators } from './allocators.ts';
import { allocateService, clusterIpsOf, nodePortsOf, releaseService, type ServiceAllocation } from './hooks.ts';
import type { IpAddresses } from './ip-addresses.ts';

/** An address that nobody asked for by name is chosen anew so often where it turns out to be another's. */
const attemptsMax = 10;

/** Written down for another: a Service of which nobody knows, that was never made because the server ended, for one. */
class AddressTaken extends StatusError {
  readonly ip: string;

  constructor(ip: string, { status }: StatusError) {
    super(status);
    this.ip = ip;
  }
}

/** Where the addresses of Services are written down. */
export type AddressBook = Pick<IpAddresses, 'create' | 'remove'>;

/**
 * Ties the allocators to the writes of Services, with an IPAddress for each address. Before the first write the caller
 * makes them know the Services that are stored (`repairAllocators`). One API server a store: two would give the same
 * port to two Services.
 */
export function serviceWriteHook(
  allocators: ServiceAllocators,
  addresses: AddressBook,
  metrics?: AllocatorMetrics,
): WriteHook {
  const underWay = new WeakMap<HookedWrite, ServiceAllocation>();
  const removeAll = (ips: readonly string[]) => Promise.all(ips.map((ip) => addresses.remove(ip)));
  return {
    group: '',
    resource: 'services',
    /** What is asked for is refused before anything else is; of a dry run, what it would get is judged too. */
    beforeValidation(write) {
      const subject = (write.dryRun ? write.object : structuredClone(write.object)) as Service;
      allocateService(subject, write.old as Service | undefined, allocators, write).revert();
    },
    beforeWrite(write) {
      if (write.dryRun) return undefined;
      const service = write.object as Service;
      const asked = { ips: service.spec.clusterIPs ?? [], ports: nodePortsOf(service.spec) };
      const spec = structuredClone(service.spec);
      const attempt = (): Promise<Undo> | Undo => {
        const allocation = allocateService(service, write.old as Service | undefined, allocators, write);
        if (metrics) count(allocation, asked, allocators, metrics);
        underWay.set(write, allocation);
        const taken = [...allocation.takenIps];
        return taken.length === 0 ? () => allocation.revert() : writtenDown(service, taken, allocation, addresses);
      };
      const again = async (error: unknown, attempts: number): Promise<Undo> => {
        if (!(error instanceof AddressTaken) || asked.ips.includes(error.ip) || attempts >= attemptsMax) throw error;
        service.spec = structuredClone(spec);
        try {
          return await attempt();
        } catch (other) {
          return again(other, attempts + 1);
        }
      };
      const undo = attempt();
      return undo instanceof Promise ? undo.catch((error: unknown) => again(error, 1)) : undo;
    },
    async afterWrite(write) {
      const allocation = underWay.get(write);
      const returned = [...(allocation?.returnedIps ?? [])];
      try {
        await removeAll(returned);
      } finally {
        allocation?.commit();
      }
    },
    async afterDelete(object) {
      try {
        await removeAll(clusterIpsOf((object as Service).spec));
      } finally {
        releaseService(object as Service, allocators);
      }
    },
  };
}

function count(
  { takenIps, takenPorts }: ServiceAllocation,
  asked: { readonly ips: readonly string[]; readonly ports: readonly number[] },
  { ips }: ServiceAllocators,
  metrics: AllocatorMetrics,
): void {
  for (const ip of takenIps) {
    const range = ips.map((family) => family.rangeOf(ip)).find((text) => text !== '') ?? '';
    metrics.allocatedIp(range, asked.ips.includes(ip) ? 'static' : 'dynamic');
  }
  for (const port of takenPorts) metrics.allocatedPort(asked.ports.includes(port) ? 'static' : 'dynamic');
}

/** An address that somebody else wrote down meanwhile is not this Service's. */
async function writtenDown(
  service: Service,
  taken: readonly string[],
  allocation: ServiceAllocation,
  addresses: AddressBook,
): Promise<Undo> {
  const created: string[] = [];
  const undo = async () => {
    // What is kept, a commit has taken off the list.
    const lost = created.filter((ip) => allocation.takenIps.includes(ip));
    try {
      await Promise.all(lost.map((ip) => addresses.remove(ip)));
    } finally {
      allocation.revert();
    }
  };
  for (const ip of taken) {
    try {
      await addresses.create(ip, service);
      created.push(ip);
    } catch (error) {
      await undo();
      const failure = StatusError.from(error);
      const told = StatusError.from(new Error(`failed to allocate IP ${ip}: ${failure.message}`, { cause: error }));
      throw failure.reason === 'AlreadyExists' ? new AddressTaken(ip, told) : told;
    }
  }
  return undo;
}
