import { isInt64 } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { numberOf } from './parse-json.ts';

/** What one decoding finds out on its way. */
export interface DecodeState {
  /** The value belongs to nobody else, so that free-form parts may be kept as they are. */
  readonly fresh: boolean;
  /** Whether something was dropped because the shape does not name it; which, `strictErrors` finds out. */
  hasUnknown: boolean;
  depth: number;
  /** How many keys the objects have that were read; those of unknown fields' values are not counted. */
  keys: number;
}

export type Target = Record<string, unknown>;

/** What a reading begins with. */
export const newState = (fresh: boolean): DecodeState => ({ fresh, hasUnknown: false, depth: 0, keys: 0 });

/** A JSON value → its canonical form, undefined where that is Go's zero time. Throws DecodeError. */
export type Reader = (value: unknown, state: DecodeState) => unknown;

/** Depth of objects and lists in one another that a body may have; upstream's is 10,000, which recursion cannot take. */
export const nestingMax = 1000;

export const tooDeep = () => new DecodeError('exceeded max depth');

/**
 * A value of any form: checks its depth, and copies it where it is not ours to keep. Integers that do not fit into 64 bits
 * become doubles, as in Go's untyped JSON.
 */
export const readAny: Reader = (value, state) => copyAny(value, state.depth, state);

function copyAny(value: unknown, depth: number, state: DecodeState): unknown {
  const keep = state.fresh;
  if (typeof value === 'bigint') return isInt64(value) ? value : Number(value);
  if (typeof value === 'symbol') return numberOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= nestingMax) throw tooDeep();
  if (Array.isArray(value)) {
    if (!keep) return value.map((item: unknown) => copyAny(item, depth + 1, state));
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const read = copyAny(item, depth + 1, state);
      if (read !== item) value[index] = read;
    }
    return value;
  }
  const source = value as Target;
  const copy: Target = keep ? source : {};
  for (const key in source) {
    const item = source[key];
    state.keys++;
    const read = copyAny(item, depth + 1, state);
    if (keep ? read !== item : read !== undefined) setOwn(copy, key, read);
  }
  return copy;
}

/** Also for the key `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
