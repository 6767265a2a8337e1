import type { FieldCause } from '@kubernode/api';
import { duplicate, invalid } from '../causes.ts';
import { someSchemaOnce } from '../definitions/schema-walk.ts';
import { isPlain, itemsOf, schemaUnder, type Plain, type Schema } from '../schema.ts';

const isUnique = (schema: Schema) =>
  schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map';
const mayBeUnique = someSchemaOnce(isUnique);

/** Items of sets and of maps (`x-kubernetes-list-type`) are there only once. */
export function listTypeCauses(value: unknown, schema: Schema | undefined, path = ''): FieldCause[] {
  if (!schema || !mayBeUnique(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    const own = duplicates(value, schema, path);
    if (!items || !mayBeUnique(items)) return own;
    return [...own, ...value.flatMap((item, index) => listTypeCauses(item, items, `${path}[${index}]`))];
  }
  if (!isPlain(value)) return [];
  const { properties = {} } = schema;
  return Object.keys(value).flatMap((key) => {
    const name = Object.hasOwn(properties, key) ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
    return listTypeCauses(value[key], schemaUnder(schema, key), name);
  });
}

function duplicates(list: readonly unknown[], schema: Schema, path: string): FieldCause[] {
  if (!isUnique(schema)) return [];
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const odd = type === 'map' ? list.findIndex((item) => item !== null && !isPlain(item)) : -1;
  if (odd >= 0) {
    return [invalid(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map')];
  }
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const key = type === 'set' ? item : keyOf(item, keys);
    const text = JSON.stringify(key, sortedKeys(key));
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count === 2 ? [duplicate(`${path}[${index}]`, key)] : [];
  });
}

const sortedKeys = (value: unknown) => (isPlain(value) ? Object.keys(value).sort() : undefined);

function keyOf(item: unknown, keys: readonly string[]): Plain {
  if (!isPlain(item)) return {};
  return Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
}
