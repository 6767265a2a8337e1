import { parseJsonExactly } from '@kubernode/machinery';
import { DecodeError, decodeValue, encodeJsonText, shapeOf } from '@kubernode/api';
import {
  isEmbedded,
  isPlain,
  itemsOf,
  metaFields,
  preservesUnknown,
  valuesOf,
  type Plain,
  type Schema,
} from '../schema.ts';

/** Where one is, and what was dropped on the way. */
interface Pruning {
  readonly unknown: string[];
  readonly path: string;
}

/**
 * A custom object without the fields that its schema does not name. Answers the same value where nothing is dropped, and
 * never changes what it was given; `unknown` gets the paths of what was dropped (`spec.list[0].field`).
 */
export function pruned<T extends Plain>(object: T, schema: Schema, unknown: string[] = []): T {
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  return prune(object, root, { unknown, path: '' }) as T;
}

function prune(value: unknown, schema: Schema | undefined, state: Pruning): unknown {
  const keeps = schema !== undefined && preservesUnknown(schema);
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return mapItems(value, (item, index) =>
      // Where unknown fields are kept, nobody has to say what items are.
      keeps && items === undefined ? item : prune(item, items, at(state, `[${index}]`)),
    );
  }
  if (!isPlain(value)) return value;
  return mapFields(value, (item, key) => {
    const below = at(state, state.path ? `.${key}` : key);
    if (schema && isEmbedded(schema) && metaFields.has(key)) {
      return key === 'metadata' && state.path !== '' ? knownMetadata(item, below) : item;
    }
    const { properties } = schema ?? {};
    if (properties && Object.hasOwn(properties, key)) return prune(item, properties[key], below);
    // Of a map whose values may be anything, values that are objects lose all of their fields.
    if (schema?.additionalProperties !== undefined) return prune(item, valuesOf(schema), below);
    if (keeps) return item;
    if (!metaFields.has(key) || state.path !== '') state.unknown.push(below.path);
    return undefined;
  });
}

/** Metadata has the same fields wherever an object is; those that say nothing go, too. */
function knownMetadata(metadata: unknown, { path, unknown }: Pruning): unknown {
  if (metadata === null) return {};
  if (!isPlain(metadata)) return metadata;
  const shape = shapeOf('meta.k8s.io/v1.ObjectMeta');
  for (const key of Object.keys(metadata)) if (!shape.byName.has(key)) unknown.push(`${path}.${key}`);
  try {
    const kept = parseJsonExactly(encodeJsonText(decodeValue(metadata, shape).object, shape)) as Plain;
    return JSON.stringify(kept) === JSON.stringify(metadata) ? metadata : kept;
  } catch (error) {
    if (error instanceof DecodeError) return metadata;
    throw error;
  }
}

const at = ({ unknown, path }: Pruning, step: string): Pruning => ({ unknown, path: path + step });

/** The list with each item changed; the same list where none is. */
export function mapItems(
  list: readonly unknown[],
  change: (item: unknown, index: number) => unknown,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const changed = change(list[index], index);
    if (changed !== list[index]) (copy ??= [...list])[index] = changed;
  }
  return copy ?? list;
}

/** The object with each field changed, and without those that become undefined; the same object where none is. */
export function mapFields(object: Plain, change: (value: unknown, key: string) => unknown): Plain {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    const changed = change(value, key);
    if (changed === value) continue;
    copy ??= Object.fromEntries(Object.entries(object));
    if (changed === undefined) delete copy[key];
    else copy[key] = changed;
  }
  return copy ?? object;
}
