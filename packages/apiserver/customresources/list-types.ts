import type { FieldCause } from '@kubernode/api';
import { duplicate } from './causes.ts';
import { isPlain, itemsOf, schemaUnder, type Schema } from './schema.ts';

/** Items of sets and of maps (`x-kubernetes-list-type`) are there only once. */
export function listTypeCauses(value: unknown, schema: Schema | undefined, path = ''): FieldCause[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    const below = value.flatMap((item, index) => listTypeCauses(item, items, `${path}[${index}]`));
    return [...duplicates(value, schema, path), ...below];
  }
  if (!isPlain(value)) return [];
  return Object.keys(value).flatMap((key) =>
    listTypeCauses(value[key], schemaUnder(schema, key), path ? `${path}.${key}` : key),
  );
}

function duplicates(list: readonly unknown[], schema: Schema, path: string): FieldCause[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const key = type === 'set' ? item : keyOf(item, keys, itemsOf(schema));
    const text = JSON.stringify(key, sortedKeys(key));
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count === 2 ? [duplicate(`${path}[${index}]`, key)] : [];
  });
}

const sortedKeys = (value: unknown) => (isPlain(value) ? Object.keys(value).sort() : undefined);

function keyOf(item: unknown, keys: readonly string[], schema: Schema | undefined): unknown {
  if (!isPlain(item)) return item;
  const entries = keys.map((key) => [key, item[key] ?? schema?.properties?.[key]?.default]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
