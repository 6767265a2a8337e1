import { StatusError } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { IpFamily, Random } from '@kubernode/machinery';
import type { IpAllocator } from './ip-allocator.ts';
import type { PortAllocator } from './port-allocator.ts';

/** All addresses of a family: one network, or several. */
export type IpRange = Pick<
  IpAllocator,
  | 'family'
  | 'contains'
  | 'allocate'
  | 'reserve'
  | 'hold'
  | 'release'
  | 'clear'
  | 'rangeOf'
  | 'triedAddress'
  | 'usedCount'
  | 'usage'
>;

/** Where a cluster's Services get their addresses and ports from. */
export interface ServiceAllocators {
  /** One or two, of different families; the first is the default one. */
  readonly ips: readonly IpRange[];
  readonly nodePorts: PortAllocator;
  readonly random: Random;
}

export const allocatorOf = ({ ips }: ServiceAllocators, family: string): IpRange | undefined =>
  ips.find((allocator) => allocator.family === family);

function invalidService(service: Service, field: string, value: unknown, why: string): StatusError {
  return StatusError.invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [cause(field, value, why)]);
}

export const cause = (field: string, value: unknown, why: string) => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

/** What tried ports follow on, where none was asked for. */
const triedPortBefore = 32_768;

/** What a write took and will give back: nothing is lost whichever way the write ends. */
export class Ledger {
  readonly #allocators: ServiceAllocators;
  readonly #dryRun: boolean;
  readonly #takenIps: string[] = [];
  readonly #takenPorts: number[] = [];
  /** Ports that stand in a dry run for others, and were never reserved. */
  readonly #tried = new Set<number>();
  readonly #returnedIps: string[] = [];
  readonly #returnedPorts: number[] = [];

  /** `dryRun`: nothing free is looked for, as it would not stay free (ipallocator and portallocator, DryRun). */
  constructor(allocators: ServiceAllocators, { dryRun = false } = {}) {
    this.#allocators = allocators;
    this.#dryRun = dryRun;
  }

  /** An address of the family: `wanted`, or any where it is ''. Throws a StatusError. */
  takeIp(service: Service, family: IpFamily, wanted: string): string {
    const allocator = allocatorOf(this.#allocators, family);
    if (!allocator) throw invalidService(service, 'spec.ipFamilies', family, 'not configured on this cluster');
    if (wanted === '') {
      if (this.#dryRun) return allocator.triedAddress;
      const ip = this.#attempt('failed to allocate a serviceIP', () => allocator.allocate(this.#allocators.random));
      this.#takenIps.push(ip);
      return ip;
    }
    const reservation = allocator.reserve(wanted);
    if (reservation !== 'ok') {
      const why = `failed to allocate IP ${wanted}: ${refusedIp(allocator, wanted, reservation)}`;
      throw invalidService(service, 'spec.clusterIPs', service.spec.clusterIPs, why);
    }
    this.#takenIps.push(wanted);
    return wanted;
  }

  /** A node port: `wanted`, or any where it is 0. Throws a StatusError that blames `field`. */
  takePort(service: Service, field: string, wanted: number, context = ''): number {
    const { nodePorts, random } = this.#allocators;
    if (wanted === 0) {
      if (this.#dryRun) return this.#triedPort();
      const port = this.#attempt('failed to allocate a nodePort', () => nodePorts.allocate(random));
      this.#takenPorts.push(port);
      return port;
    }
    const reservation = this.#dryRun && this.#takenPorts.includes(wanted) ? 'used' : nodePorts.reserve(wanted);
    // Whether it is in the range is not looked at where it is only tried.
    if (reservation !== 'ok' && !(this.#dryRun && reservation === 'outside')) {
      const { first, last } = nodePorts.range;
      const outside = `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
      const why = reservation === 'used' ? 'provided port is already allocated' : outside;
      throw invalidService(service, field, wanted, context + why);
    }
    if (reservation !== 'ok') this.#tried.add(wanted);
    this.#takenPorts.push(wanted);
    return wanted;
  }

  /** Stands for the port that one would get: the one after those that are tried already. */
  #triedPort(): number {
    const port = Math.max(0, ...this.#takenPorts) || triedPortBefore;
    this.#takenPorts.push(port + 1);
    this.#tried.add(port + 1);
    return port + 1;
  }

  /** What is taken, and not given back. */
  get takenIps(): readonly string[] {
    return this.#takenIps;
  }

  get takenPorts(): readonly number[] {
    return this.#takenPorts;
  }

  /** What `commit` gives back. */
  get returnedIps(): readonly string[] {
    return this.#returnedIps;
  }

  returnIps(ips: readonly string[]): void {
    this.#returnedIps.push(...ips);
  }

  returnPorts(ports: readonly number[]): void {
    this.#returnedPorts.push(...ports);
  }

  commit(): void {
    this.#release(this.#returnedIps, this.#returnedPorts);
    this.#takenIps.length = 0;
    this.#takenPorts.length = 0;
  }

  revert(): void {
    this.#release(this.#takenIps, this.#takenPorts);
    this.#returnedIps.length = 0;
    this.#returnedPorts.length = 0;
  }

  /** Each is released once, even when the way out is taken twice. */
  #release(ips: string[], ports: number[]): void {
    for (const ip of ips.splice(0)) {
      for (const allocator of this.#allocators.ips) if (allocator.contains(ip)) allocator.release(ip);
    }
    const { nodePorts } = this.#allocators;
    for (const port of ports.splice(0)) if (!this.#tried.has(port)) nodePorts.release(port);
  }

  #attempt<T>(context: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      const message = `${context}: ${error instanceof Error ? error.message : String(error)}`;
      throw StatusError.from(new Error(message, { cause: error }));
    }
  }
}

function refusedIp(allocator: IpRange, ip: string, reservation: 'used' | 'outside'): string {
  if (reservation === 'used') return 'provided IP is already allocated';
  if (allocator.rangeOf(ip) === '') return 'the provided network does not match the current range';
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${allocator.rangeOf(ip)}`;
}
