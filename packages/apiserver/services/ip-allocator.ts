import {
  canonicalIp,
  cidrContains,
  cidrSize,
  ipNumber,
  ipOf,
  parseCidr,
  type Cidr,
  type IpFamily,
  type Random,
} from '@kubernode/machinery';
import { bandsOf, freeOffset, type Bands, type Reservation } from './bands.ts';

/** Beyond this many addresses (an IPv6 network has more) only the first are given out by chance. */
const sizeMax = 2 ** 32;

/** What several networks have in common: one may be part of another. */
export interface Holdings {
  /** Addresses that Services hold, canonical. */
  readonly used: Set<string>;
  /** Whether somebody has an address all the same: there is an IPAddress for it. */
  readonly isTaken: (ip: string) => boolean;
}

export interface Usage {
  readonly cidr: string;
  readonly used: number;
  readonly size: number;
}

/** The addresses of one network that Services hold: known from the Services themselves, kept in memory. */
export class IpAllocator {
  readonly cidr: string;
  readonly family: IpFamily;
  readonly #network: Cidr;
  readonly #bands: Bands;
  readonly #used: Set<string>;
  readonly #isTaken: (ip: string) => boolean;

  /** Throws where the text is no network. */
  constructor(cidr: string, { used, isTaken }: Holdings = { used: new Set(), isTaken: () => false }) {
    this.#used = used;
    this.#isTaken = isTaken;
    const network = parseCidr(cidr);
    if (!network) throw new Error(`new IpAllocator: ${JSON.stringify(cidr)} is not a network such as "10.96.0.0/16"`);
    this.cidr = cidr;
    this.family = network.family;
    this.#network = network;
    const size = Number(cidrSize(network)) - (network.family === 'IPv4' ? 2 : 1);
    this.#bands = bandsOf(Math.max(0, Math.min(size, sizeMax)), { min: 16, max: 256, step: 16 });
  }

  /** How full the network is. */
  usage(): readonly Usage[] {
    let used = 0;
    for (const ip of this.#used) if (this.contains(ip)) used += 1;
    return [{ cidr: this.cidr, used, size: this.#bands.size }];
  }

  get usedCount(): number {
    return this.#used.size;
  }

  /** Whether the address belongs to the network, be it one that can be given out or not. */
  contains(ip: string): boolean {
    return cidrContains(this.#network, ip);
  }

  /** Stands for whatever a write would be given that is only tried: the network's own address, which nobody gets. */
  get triedAddress(): string {
    return ipOf(this.#network.base, this.family);
  }

  /** Gives out a free address, of the upper band first. Throws a RangeFullError. */
  allocate(random: Random): string {
    const ipAt = (offset: number) => ipOf(this.#network.base + 1n + BigInt(offset), this.family);
    const isFree = (offset: number) => {
      const candidate = ipAt(offset);
      return !this.#used.has(candidate) && !this.#isTaken(candidate);
    };
    const ip = ipAt(freeOffset(this.#bands, isFree, random));
    this.#used.add(ip);
    return ip;
  }

  /** Takes one address; the network's own and its broadcast address are outside. */
  reserve(ip: string): Reservation {
    const canonical = canonicalIp(ip);
    if (canonical === undefined || !this.contains(canonical) || this.#isEdge(canonical)) return 'outside';
    if (this.#used.has(canonical) || this.#isTaken(canonical)) return 'used';
    this.#used.add(canonical);
    return 'ok';
  }

  /** As `reserve`, for a Service that has the address already, and an IPAddress with it. */
  hold(ip: string): Reservation {
    const canonical = canonicalIp(ip);
    if (canonical === undefined || !this.contains(canonical) || this.#isEdge(canonical)) return 'outside';
    if (this.#used.has(canonical)) return 'used';
    this.#used.add(canonical);
    return 'ok';
  }

  /** The network that an address can be taken of; '' where there is none. */
  rangeOf(ip: string): string {
    return this.contains(ip) ? this.cidr : '';
  }

  release(ip: string): void {
    const canonical = canonicalIp(ip);
    if (canonical !== undefined) this.#used.delete(canonical);
  }

  clear(): void {
    this.#used.clear();
  }

  #isEdge(ip: string): boolean {
    const offset = (ipNumber(ip) ?? 0n) - this.#network.base;
    return offset === 0n || (this.family === 'IPv4' && offset === cidrSize(this.#network) - 1n);
  }
}
