/** Large enough that the C library maps it by itself: what comes and goes around it is not held in place by it. */
const slabBytes = 1024 * 1024;
/** Larger values have memory of their own, so that little is left over at the end of a slab. */
const tenantBytesMax = slabBytes / 16;

/** Somebody whose bytes are in a slab, or may be. */
export interface Tenant {
  readonly bytes: Buffer;
  readonly byteLength: number;
  /** Nobody will find it any more; who has it still reads it. */
  readonly isReleased: boolean;
  /** Somebody may read it long after its release: a watch whose client does not read, for one. */
  readonly isLent: boolean;
  /** From now on the bytes are there. */
  move(slab: Slab, at: number): void;
  /** From now on it has its bytes for itself. */
  moveOut(): void;
}

/** The bytes of many objects side by side. Who still reads a slab that was left has it, as it was. */
export class Slab {
  readonly owner: Slabs;
  readonly bytes = Buffer.from(new ArrayBuffer(slabBytes));
  tenants: Tenant[] = [];
  usedBytes = 0;
  livingBytes = 0;

  constructor(owner: Slabs) {
    this.owner = owner;
  }
}

/**
 * Memory for bytes that stay: beside their like. Node's own pool would put them beside answers and other passing
 * things, of which each then stays as long as its neighbours. Where most of a slab is dead, what lives moves out: all
 * slabs together are at most about twice as large as what lives in them. What is dead, but lent, gets memory of its own
 * then: who is slow to read it has that in memory, and not a slab for each of it.
 */
export class Slabs {
  #open = new Slab(this);

  /** Copies the bytes to a place of their own, unless they are too large for that. */
  keep(tenant: Tenant): void {
    const { bytes, byteLength } = tenant;
    if (byteLength > tenantBytesMax) return;
    while (this.#open.usedBytes + byteLength > slabBytes) this.#openNext();
    const slab = this.#open;
    const at = slab.usedBytes;
    bytes.copy(slab.bytes, at);
    slab.usedBytes += byteLength;
    slab.livingBytes += byteLength;
    slab.tenants.push(tenant);
    tenant.move(slab, at);
  }

  /** A tenant that has so many bytes was released, once. */
  released(slab: Slab, byteLength: number): void {
    slab.livingBytes -= byteLength;
    if (slab !== this.#open) this.#check(slab);
  }

  #openNext(): void {
    const full = this.#open;
    this.#open = new Slab(this);
    this.#check(full);
  }

  #check(slab: Slab): void {
    if (slab.livingBytes * 2 >= slabBytes) return;
    const tenants = slab.tenants;
    slab.tenants = [];
    for (const tenant of tenants) {
      if (!tenant.isReleased) this.keep(tenant);
      else if (tenant.isLent) tenant.moveOut();
    }
  }
}
