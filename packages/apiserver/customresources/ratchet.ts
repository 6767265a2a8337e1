import { isPlain, type Schema } from './schema.ts';
import type { Old } from './found.ts';

/**
 * Which item of the list before an item stands for: only items of maps have a key by which they are found again. Where
 * keys are not unique nothing is.
 */
export function correlated(old: Old | undefined, schema: Schema): (item: unknown) => Old | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!old || !Array.isArray(old.value) || schema['x-kubernetes-list-type'] !== 'map') return () => undefined;
  const before = new Map<string, unknown>();
  for (const item of old.value as readonly unknown[]) before.set(keyOf(item, keys), item);
  if (before.size !== old.value.length) return () => undefined;
  return (item) => {
    const key = keyOf(item, keys);
    return before.has(key) ? { value: before.get(key) } : undefined;
  };
}

const keyOf = (item: unknown, keys: readonly string[]): string =>
  JSON.stringify(keys.map((key) => (isPlain(item) ? (item[key] ?? null) : null)));
