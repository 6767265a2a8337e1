import { deepClone } from '@kubernode/machinery';
import { mapFields, mapItems } from './prune.ts';
import { isPlain, itemsOf, schemaUnder, valuesOf, type Plain, type Schema } from '../schema.ts';

/**
 * A custom object with the defaults of its schema filled in, and without nulls where the schema has no place for them.
 * Answers the same value where nothing is to be done, and never changes what it was given.
 */
export function defaulted<T extends Plain>(object: T, schema: Schema): T {
  return fill(withoutNulls(object, schema), schema) as T;
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

function fill(value: unknown, schema: Schema | undefined): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return mapItems(value, (item) => fill(isUnwantedNull(item, items) ? defaultOf(items) : item, items));
  }
  if (!isPlain(value)) return value;
  const filled = mapFields(withMissing(value, schema), (item, key) => {
    const below = schemaUnder(schema, key);
    const isOfMap = below !== undefined && below === valuesOf(schema);
    return fill(isOfMap && isUnwantedNull(item, below) ? defaultOf(below) : item, below);
  });
  return filled;
}

function withMissing(object: Plain, { properties }: Schema): Plain {
  let copy: Record<string, unknown> | undefined;
  for (const key in properties) {
    const below = properties[key];
    if (below?.default === undefined) continue;
    if (Object.hasOwn(object, key) && object[key] !== undefined && !isUnwantedNull(object[key], below)) continue;
    copy ??= { ...object };
    copy[key] = defaultOf(below);
  }
  return copy ?? object;
}

const defaultOf = (schema: Schema | undefined): unknown => deepClone(schema?.default ?? null);
