import { aggregateMessages } from '@kubernode/machinery';

/** Collects what is wrong with a configuration, as upstream's field errors print it. */
export class Problems {
  readonly #found: string[] = [];

  required(path: string, why = ''): void {
    this.#found.push(`${path}: Required value${why ? `: ${why}` : ''}`);
  }

  invalid(path: string, value: unknown, why: string): void {
    this.#found.push(`${path}: Invalid value: ${JSON.stringify(value)}: ${why}`);
  }

  duplicate(path: string, value: unknown): void {
    this.#found.push(`${path}: Duplicate value: ${JSON.stringify(value)}`);
  }

  notSupported(path: string, value: unknown, supported: readonly string[]): void {
    const list = supported.map((name) => JSON.stringify(name)).join(', ');
    this.#found.push(`${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`);
  }

  tooMany(path: string, count: number, max: number): void {
    this.#found.push(`${path}: Too many: ${count}: must have at most ${max} items`);
  }

  forbidden(path: string, why: string): void {
    this.#found.push(`${path}: Forbidden: ${why}`);
  }

  /** A whole message. */
  add(message: string): void {
    this.#found.push(message);
  }

  /** Throws all that was found, if anything was. */
  throwIfAny(prefix = ''): void {
    if (this.#found.length > 0) throw new Error(prefix + aggregateMessages(this.#found));
  }
}
