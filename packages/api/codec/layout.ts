import { DecodeError } from './decode-error.ts';
import type { DecodeState, Reader, Target } from './reader.ts';

export interface FieldReader {
  readonly name: string;
  /** Its place in the order of the type. */
  readonly index: number;
  readonly read: Reader;
  /** A zero value is as good as an absent one. */
  readonly dropsZero: boolean;
  /** What stands in for an absent value; undefined: nothing. */
  readonly fill: ((state: DecodeState) => unknown) | undefined;
}

/**
 * Reads objects of one type in one pass over the fields that are there, which are few of those that the type has. An
 * object that is ours and in canonical form already, as what a client got and writes back, stays what it is.
 */
export class Layout {
  readonly #byName: ReadonlyMap<string, FieldReader>;
  /** Those that are always there, in order. */
  readonly #filled: readonly FieldReader[];

  constructor(fields: readonly FieldReader[]) {
    this.#byName = new Map(fields.map((field) => [field.name, field]));
    this.#filled = fields.filter(({ fill }) => fill !== undefined);
  }

  /** `struct`: the type, as errors name it. */
  read(source: Target, struct: string, state: DecodeState): Target {
    const target: Target = state.fresh ? source : {};
    let isCanonical = true;
    let last = -1;
    let filled = 0;
    for (const key in source) {
      const raw = source[key];
      const field = this.#byName.get(key);
      if (raw !== undefined) state.keys++;
      if (field === undefined) {
        if (raw !== undefined) state.hasUnknown = true;
        isCanonical = false;
        continue;
      }
      const read = raw === undefined || raw === null ? undefined : readField(field, raw, struct, state);
      if (target !== source || read !== raw) target[key] = read;
      if (read === undefined || field.index < last) isCanonical = false;
      last = field.index;
      if (field.fill !== undefined) filled++;
    }
    return isCanonical && filled === this.#filled.length ? target : this.#arranged(target, state);
  }

  /** The fields of an object that was read, in order, with those that are always there, and without unknown ones. */
  #arranged(source: Target, state: DecodeState): Target {
    const fields: FieldReader[] = [];
    for (const key in source) {
      const field = this.#byName.get(key);
      if (field === undefined || source[key] === undefined) continue;
      let at = fields.length;
      for (; at > 0 && fields[at - 1]!.index > field.index; at--) fields[at] = fields[at - 1]!;
      fields[at] = field;
    }
    const object: Target = {};
    let next = 0;
    for (const field of fields) {
      for (; next < this.#filled.length && this.#filled[next]!.index < field.index; next++) {
        fillIn(object, this.#filled[next]!, state);
      }
      if (this.#filled[next] === field) next++;
      object[field.name] = source[field.name];
    }
    for (; next < this.#filled.length; next++) fillIn(object, this.#filled[next]!, state);
    return object;
  }
}

function readField(field: FieldReader, raw: unknown, struct: string, state: DecodeState): unknown {
  try {
    const read = field.read(raw, state);
    return field.dropsZero && isZero(read) ? undefined : read;
  } catch (error) {
    if (error instanceof DecodeError) error.within(struct, field.name);
    throw error;
  }
}

function fillIn(object: Target, { name, fill }: FieldReader, state: DecodeState): void {
  const value = fill?.(state);
  if (value !== undefined) object[name] = value;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
