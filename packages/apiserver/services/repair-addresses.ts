import type { Service } from '@kubernode/api/core/v1';
import type { IPAddress } from '@kubernode/api/networking/v1';
import { canonicalIp, type Clock, type Logger } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import type { WarnOf } from './events.ts';
import { clusterIpsOf } from './hooks.ts';
import { hasRightLabels, isManaged } from './ip-addresses.ts';
import { isInServiceCidr } from './service-cidrs.ts';
import type { AddressBook } from './write-hook.ts';

const group = 'networking.k8s.io';
const intervalMs = 3 * 60_000;
const settleMs = 20;
const retryMs = 1_000;
const retriesMax = 15;
/** A Service that is to come, or has just changed, has this long to be there. */
const graceMs = 60_000;
const justChangedMs = 5_000;

const typeOf: Readonly<Record<string, string>> = {
  ClusterIPNotValid: 'invalid',
  ClusterIPOutOfRange: 'outOfRange',
  ClusterIPNotAllocated: 'repair',
  ClusterIPAlreadyAllocated: 'duplicate',
};

const serviceKind = { apiVersion: 'v1', kind: 'Service' };
const addressKind = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress' };

interface RepairOptions {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly log: Logger;
  readonly addresses: AddressBook;
  readonly warnOf: WarnOf;
  /** Counts what was found, by upstream's types. */
  readonly count: (type: string) => void;
}

/**
 * Keeps IPAddresses and Services true to each other: an address that a Service has and nobody wrote down is written
 * down; one that no Service has any more goes. Looks at what changes, and at everything every three minutes.
 */
export class AddressRepair {
  readonly #options: RepairOptions;
  readonly #stops: (() => void)[] = [];
  readonly #pending = new Map<string, () => Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #delays = new Map<string, () => void>();
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #isBusy = false;

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  start(): void {
    const { state, clock } = this.#options;
    const ofAddress = ({ metadata }: { metadata: { name: string } }) => this.#addAddress(metadata.name);
    const changedAddress = (object: object, deleted: boolean) => {
      const { metadata, spec } = object as IPAddress;
      if (!deleted) this.#addAddress(metadata.name);
      else if (spec.parentRef) this.#addService(spec.parentRef.namespace ?? '', spec.parentRef.name ?? '');
    };
    const ofService = ({ metadata }: { metadata: { name: string; namespace?: string | undefined } }) =>
      this.#addService(metadata.namespace ?? '', metadata.name);
    const all = () => {
      for (const service of state.list('', 'services')) ofService(service);
      for (const address of state.list(group, 'ipaddresses')) ofAddress(address);
      this.#delays.get('')?.();
      this.#delays.set('', clock.after(intervalMs, all));
    };
    this.#stops.push(state.onChange('', 'services', ofService), state.onChange(group, 'ipaddresses', changedAddress));
    all();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    for (const stop of [...this.#stops, ...this.#delays.values()]) stop();
  }

  #addService(namespace: string, name: string): void {
    this.#add(`service ${namespace}/${name}`, () => this.#syncService(namespace, name));
  }

  #addAddress(name: string): void {
    this.#add(`address ${name}`, () => this.#syncAddress(name));
  }

  #add(key: string, sync: () => Promise<void>): void {
    this.#pending.set(key, sync);
    if (this.#isStopped || this.#cancel || this.#isBusy) return;
    this.#cancel = this.#options.clock.after(settleMs, () => void this.#run());
  }

  #addressLater(name: string, delayMs: number): void {
    const key = `address ${name}`;
    this.#delays.get(key)?.();
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#delays.delete(key);
      this.#addAddress(name);
    });
    this.#delays.set(key, cancel);
  }

  async #run(): Promise<void> {
    this.#cancel = undefined;
    this.#isBusy = true;
    let isRetrying = false;
    const pending = new Map(this.#pending);
    this.#pending.clear();
    for (const [key, sync] of pending) {
      try {
        await sync();
        this.#failures.delete(key);
      } catch (error) {
        if (this.#isStopped) return;
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        this.#options.log.warn('addresses of Services could not be repaired', { key, error: String(error) });
        if (failures > retriesMax) {
          this.#failures.delete(key);
          continue;
        }
        this.#pending.set(key, sync);
        isRetrying = true;
      }
    }
    this.#isBusy = false;
    if (this.#isStopped || this.#pending.size === 0) return;
    this.#cancel = this.#options.clock.after(isRetrying ? retryMs : settleMs, () => void this.#run());
  }

  async #syncService(namespace: string, name: string): Promise<void> {
    const service = this.#service(namespace, name);
    if (!service) return;
    for (const ip of clusterIpsOf(service.spec)) await this.#syncClusterIp(service, ip);
  }

  async #syncClusterIp(service: Service, clusterIp: string): Promise<void> {
    const { state, addresses } = this.#options;
    const family = clusterIp.includes(':') ? 'IPv6' : 'IPv4';
    const ip = canonicalIp(clusterIp);
    if (ip === undefined) {
      const note = `Cluster IP ${clusterIp} is not a valid IP; please recreate Service`;
      return this.#warn(service, 'ClusterIPNotValid', 'ClusterIPValidation', note);
    }
    if (!isInServiceCidr(state, ip)) {
      const note = `Cluster IP [${family}]: ${ip} is not within any configured Service CIDR; please recreate service`;
      return this.#warn(service, 'ClusterIPOutOfRange', 'ClusterIPAllocation', note);
    }
    const address = state.get(group, 'ipaddresses', ip) as IPAddress | undefined;
    if (!address) {
      const note = `Cluster IP [${family}]: ${ip} is not allocated; repairing`;
      this.#warn(service, 'ClusterIPNotAllocated', 'ClusterIPAllocation', note);
      return addresses.create(ip, service);
    }
    const owner = this.#ownerOf(address);
    const isOwn = owner?.metadata.uid === service.metadata.uid;
    if (!owner) {
      const { namespace, name } = service.metadata;
      const note = `the ClusterIP [${family}]: ${ip} for Service ${namespace}/${name} has a wrong reference; repairing`;
      this.#warn(service, 'ClusterIPNotAllocated', 'ClusterIPAllocation', note);
    } else if (!isOwn && owner.spec.clusterIPs?.includes(address.metadata.name)) {
      const note = `Cluster IP [${family}]:${ip} was assigned to multiple services; please recreate service`;
      this.#warn(service, 'ClusterIPAlreadyAllocated', 'ClusterIPAllocation', note);
    }
    if (owner && hasRightLabels(address)) return;
    await addresses.remove(address.metadata.name);
    await addresses.create(address.metadata.name, service);
  }

  async #syncAddress(name: string): Promise<void> {
    const { state, clock } = this.#options;
    const address = state.get(group, 'ipaddresses', name) as IPAddress | undefined;
    if (!address || !isManaged(address)) return;
    const { parentRef } = address.spec;
    const { namespace, name: serviceName = '' } = parentRef ?? {};
    if (parentRef?.group || parentRef?.resource !== 'services') {
      const note = `IPAddress ${name} appears to have been modified, not referencing a Service: cleaning up`;
      return this.#remove(address, 'IPAddressNotAllocated', note);
    }
    const ageMs = clock.now() - Date.parse(address.metadata.creationTimestamp ?? '');
    const service = this.#service(namespace ?? '', serviceName);
    if (!service) {
      if (ageMs <= graceMs) return this.#addressLater(name, graceMs - ageMs + 1);
      const note = `IPAddress: ${name} for Service ${namespace}/${serviceName} appears to have leaked: cleaning up`;
      return this.#remove(address, 'IPAddressNotAllocated', note);
    }
    if (service.spec.clusterIPs?.includes(name)) return;
    // The Service may be about to say so, or about to give it back.
    const waitMs = service.spec.type === 'ExternalName' ? graceMs : justChangedMs;
    if (ageMs < waitMs) return this.#addressLater(name, waitMs - ageMs + 1);
    const note = `IPAddress: ${name} for Service ${namespace}/${serviceName} has a wrong reference; cleaning up`;
    await this.#remove(address, 'IPAddressWrongReference', note);
  }

  async #remove(address: IPAddress, reason: string, note: string): Promise<void> {
    this.#options.count('leak');
    this.#options.warnOf(addressKind, address, { reason, action: 'IPAddressAllocation', note });
    await this.#options.addresses.remove(address.metadata.name);
  }

  #warn(service: Service, reason: string, action: string, note: string): void {
    this.#options.count(typeOf[reason] ?? 'unknown');
    this.#options.warnOf(serviceKind, service, { reason, action, note });
  }

  #service(namespace: string, name: string): Service | undefined {
    return this.#options.state.get('', 'services', name, namespace) as Service | undefined;
  }

  #ownerOf({ spec: { parentRef } }: IPAddress): Service | undefined {
    if (!parentRef || parentRef.group || parentRef.resource !== 'services') return undefined;
    return this.#service(parentRef.namespace ?? '', parentRef.name ?? '');
  }
}
