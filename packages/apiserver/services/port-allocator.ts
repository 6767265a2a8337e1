import type { Random } from '@kubernode/machinery';
import { bandsOf, freeOffset, type Bands, type Reservation } from './bands.ts';

export interface PortRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** The range of a cluster that says nothing else (--service-node-port-range). */
const nodePortRangeDefault: PortRange = { first: 30_000, last: 32_767 };

/** The node ports that Services hold: known from the Services themselves, kept in memory. */
export class PortAllocator {
  readonly range: PortRange;
  readonly #bands: Bands;
  readonly #used = new Set<number>();

  constructor(range: PortRange = nodePortRangeDefault) {
    this.range = range;
    this.#bands = bandsOf(range.last - range.first + 1, { min: 16, max: 128, step: 32 });
  }

  get usedCount(): number {
    return this.#used.size;
  }

  /** Those that are given out. */
  used(): readonly number[] {
    return [...this.#used];
  }

  /** Gives out a free port, of the upper band first. Throws a RangeFullError. */
  allocate(random: Random): number {
    const isFree = (offset: number) => !this.#used.has(this.range.first + offset);
    const port = this.range.first + freeOffset(this.#bands, isFree, random);
    this.#used.add(port);
    return port;
  }

  reserve(port: number): Reservation {
    if (port < this.range.first || port > this.range.last) return 'outside';
    if (this.#used.has(port)) return 'used';
    this.#used.add(port);
    return 'ok';
  }

  release(port: number): void {
    this.#used.delete(port);
  }

  clear(): void {
    this.#used.clear();
  }
}
