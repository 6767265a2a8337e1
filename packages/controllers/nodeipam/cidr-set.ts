import { formatCidr, parseCidr, type Cidr } from '@kubernode/machinery';

/** Hands out subnets of one size from a range, one after the other, so that a freed one rests before it is used again. */
export class CidrSet {
  readonly #range: Cidr;
  readonly #prefixLength: number;
  readonly #size: bigint;
  readonly #used = new Set<bigint>();
  #next = 0n;

  constructor(range: string, prefixLength: number) {
    const parsed = parseCidr(range);
    if (!parsed || parsed.prefixLength > prefixLength)
      throw new Error(`cluster CIDR ${JSON.stringify(range)}: expected a network of at least one /${prefixLength}`);
    this.#range = parsed;
    this.#prefixLength = prefixLength;
    this.#size = 1n << BigInt((parsed.family === 'IPv4' ? 32 : 128) - prefixLength);
  }

  get #count(): bigint {
    return 1n << BigInt(this.#prefixLength - this.#range.prefixLength);
  }

  /** undefined when all are taken. */
  allocate(): string | undefined {
    for (let tried = 0n; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#used.has(index)) continue;
      this.#used.add(index);
      this.#next = (index + 1n) % this.#count;
      return this.#cidrAt(index);
    }
    return undefined;
  }

  /** Takes note of one that a node has already. */
  occupy(cidr: string): void {
    const index = this.#indexOf(cidr);
    if (index !== undefined) this.#used.add(index);
  }

  release(cidr: string): void {
    const index = this.#indexOf(cidr);
    if (index !== undefined) this.#used.delete(index);
  }

  #cidrAt(index: bigint): string {
    const { family, base } = this.#range;
    return formatCidr({ family, base: base + index * this.#size, prefixLength: this.#prefixLength });
  }

  #indexOf(text: string): bigint | undefined {
    const parsed = parseCidr(text);
    if (!parsed || parsed.family !== this.#range.family || parsed.base < this.#range.base) return undefined;
    const index = (parsed.base - this.#range.base) / this.#size;
    return index < this.#count ? index : undefined;
  }
}
