import type { IpFamily, Random } from '@kubernode/machinery';
import type { IpRange } from './allocators.ts';
import { RangeFullError, type Reservation } from './bands.ts';
import { IpAllocator, type Holdings, type Usage } from './ip-allocator.ts';

export interface Network {
  readonly cidr: string;
  /** Not while its ServiceCIDR is being deleted: nothing new is taken from it. */
  readonly isReady: boolean;
}

/** The addresses of one family, out of all networks that ServiceCIDRs bring (KEP-1880). */
export class FamilyAllocator implements IpRange {
  readonly family: IpFamily;
  readonly #holdings: Holdings;
  #networks: { readonly allocator: IpAllocator; isReady: boolean }[] = [];

  constructor(family: IpFamily, isTaken: (ip: string) => boolean) {
    this.family = family;
    this.#holdings = { used: new Set(), isTaken };
  }

  /** What Services hold stays held. */
  setNetworks(networks: readonly Network[]): void {
    const known = new Map(this.#networks.map(({ allocator }) => [allocator.cidr, allocator]));
    this.#networks = networks.map(({ cidr, isReady }) => ({
      allocator: known.get(cidr) ?? new IpAllocator(cidr, this.#holdings),
      isReady,
    }));
  }

  get usedCount(): number {
    return this.#holdings.used.size;
  }

  usage(): readonly Usage[] {
    return this.#networks.flatMap(({ allocator }) => allocator.usage());
  }

  contains(ip: string): boolean {
    return this.#of(ip).length > 0;
  }

  get triedAddress(): string {
    const [first] = this.#networks;
    if (!first) throw new RangeFullError();
    return first.allocator.triedAddress;
  }

  /** Of the first network that has one left. Throws a RangeFullError. */
  allocate(random: Random): string {
    for (const { allocator, isReady } of this.#networks) {
      if (!isReady) continue;
      try {
        return allocator.allocate(random);
      } catch (error) {
        if (!(error instanceof RangeFullError)) throw error;
      }
    }
    throw new RangeFullError();
  }

  reserve(ip: string): Reservation {
    return first(
      this.#of(ip)
        .filter(({ isReady }) => isReady)
        .map(({ allocator }) => allocator.reserve(ip)),
    );
  }

  hold(ip: string): Reservation {
    return first(this.#of(ip).map(({ allocator }) => allocator.hold(ip)));
  }

  rangeOf(ip: string): string {
    return this.#of(ip).find(({ isReady }) => isReady)?.allocator.cidr ?? '';
  }

  release(ip: string): void {
    this.#networks[0]?.allocator.release(ip);
  }

  clear(): void {
    this.#holdings.used.clear();
  }

  #of(ip: string) {
    return this.#networks.filter(({ allocator }) => allocator.contains(ip));
  }
}

/** What one network has taken, the others see as used: only the first answer that says something counts. */
function first(reservations: readonly Reservation[]): Reservation {
  return reservations.find((reservation) => reservation !== 'outside') ?? 'outside';
}
