import { StatusError } from '@kubernode/api';
import { deepClone } from '@kubernode/machinery';
import { mapFields, mapItems } from './prune.ts';
import { isPlain, itemsOf, schemaUnder, valuesOf, type Plain, type Schema } from '../schema.ts';

/** As much as etcd keeps of one object. A list of a hundred thousand items may get a default of a megabyte for each. */
export const defaultCharactersMax = 1.5 * 1024 * 1024;

/**
 * A custom object with the defaults of its schema filled in, and without nulls where the schema has no place for them.
 * Answers the same value where nothing is to be done, and never changes what it was given. Throws RequestEntityTooLarge
 * where the defaults have more than `charactersMax` characters as JSON; default: as many as they have.
 */
export function defaulted<T extends Plain>(object: T, schema: Schema, charactersMax = Number.POSITIVE_INFINITY): T {
  return fill(withoutNulls(object, schema), schema, new Defaults(charactersMax)) as T;
}

/** Hands out defaults, as many as one object may have. */
class Defaults {
  #left: number;

  constructor(charactersMax: number) {
    this.#left = charactersMax;
  }

  of(schema: Schema | undefined): unknown {
    const value = schema?.default ?? null;
    if (schema && this.#left !== Number.POSITIVE_INFINITY) this.#left -= lengthOfDefault(schema);
    if (this.#left < 0) throw tooLarge();
    return deepClone(value);
  }
}

const tooLarge = () =>
  StatusError.tooLarge(`its schema has more than ${defaultCharactersMax} bytes of defaults for it`);

const lengths = new WeakMap<Schema, number>();

function lengthOfDefault(schema: Schema): number {
  const known = lengths.get(schema);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(schema.default ?? null);
  lengths.set(schema, length);
  return length;
}

/** A null is dropped where it is neither allowed nor stands for a default. */
function withoutNulls(value: unknown, schema: Schema | undefined): unknown {
  if (Array.isArray(value)) return mapItems(value, (item) => withoutNulls(item, itemsOf(schema)));
  if (!isPlain(value)) return value;
  return mapFields(value, (item, key) => {
    const below = schemaUnder(schema, key);
    if (isUnwantedNull(item, below) && below?.default === undefined) return undefined;
    return withoutNulls(item, below);
  });
}

const isUnwantedNull = (value: unknown, schema: Schema | undefined) =>
  value === null && schema !== undefined && schema.nullable !== true;

function fill(value: unknown, schema: Schema | undefined, defaults: Defaults): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return mapItems(value, (item) => fill(isUnwantedNull(item, items) ? defaults.of(items) : item, items, defaults));
  }
  if (!isPlain(value)) return value;
  const filled = mapFields(withMissing(value, schema, defaults), (item, key) => {
    const below = schemaUnder(schema, key);
    const isOfMap = below !== undefined && below === valuesOf(schema);
    return fill(isOfMap && isUnwantedNull(item, below) ? defaults.of(below) : item, below, defaults);
  });
  return filled;
}

function withMissing(object: Plain, { properties }: Schema, defaults: Defaults): Plain {
  let copy: Record<string, unknown> | undefined;
  for (const key in properties) {
    const below = properties[key];
    if (below?.default === undefined) continue;
    if (Object.hasOwn(object, key) && object[key] !== undefined && !isUnwantedNull(object[key], below)) continue;
    copy ??= { ...object };
    copy[key] = defaults.of(below);
  }
  return copy ?? object;
}
