import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatIpv4, parseIpv4, parseIpv4Range } from '../addresses.ts';

/**
 * Pod addresses of one node: one file an address in `folder`, holding the sandbox's id, so that they survive a crash.
 * The first address is the gateway's, the last the broadcast's. Addresses are given out in turn, so that one that was
 * just given back is not taken at once.
 */
export class AddressPool {
  readonly gateway: string;
  readonly #range: ReturnType<typeof parseIpv4Range>;
  readonly #folder: string;
  readonly #byAddress = new Map<string, string>();
  readonly #bySandbox = new Map<string, string>();
  #next = 2;

  constructor(range: string, folder: string) {
    this.#range = parseIpv4Range(range);
    if (this.#range.size < 4) throw new Error(`pod range "${range}" is too small: it needs at least 4 addresses (/30)`);
    this.gateway = formatIpv4(this.#range.first + 1);
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    for (const address of readdirSync(folder)) this.#note(address, readFileSync(join(folder, address), 'utf8'));
  }

  get prefixLength(): number {
    return this.#range.prefixLength;
  }

  /** All addresses in use. */
  addresses(): readonly string[] {
    return [...this.#byAddress.keys()];
  }

  addressOf(sandboxId: string): string | undefined {
    return this.#bySandbox.get(sandboxId);
  }

  /** An address for the sandbox, the same one when asked again. Throws when the range is used up. */
  allocate(sandboxId: string): string {
    const known = this.#bySandbox.get(sandboxId);
    if (known) return known;
    const usable = this.#range.size - 3;
    for (let tried = 0; tried < usable; tried++) {
      const address = formatIpv4(this.#range.first + this.#next);
      this.#next = this.#next >= this.#range.size - 2 ? 2 : this.#next + 1;
      if (this.#byAddress.has(address)) continue;
      writeFileSync(join(this.#folder, address), sandboxId);
      this.#note(address, sandboxId);
      return address;
    }
    throw new Error(
      `no pod address is left in ${formatIpv4(this.#range.first)}/${this.prefixLength} (${usable} in use)`,
    );
  }

  release(sandboxId: string): void {
    const address = this.#bySandbox.get(sandboxId);
    if (!address) return;
    this.#bySandbox.delete(sandboxId);
    this.#byAddress.delete(address);
    rmSync(join(this.#folder, address), { force: true });
  }

  #note(address: string, sandboxId: string): void {
    this.#byAddress.set(address, sandboxId);
    this.#bySandbox.set(sandboxId, address);
    this.#next = Math.max(this.#next, (parseIpv4(address) - this.#range.first + 1) % (this.#range.size - 1));
  }
}
