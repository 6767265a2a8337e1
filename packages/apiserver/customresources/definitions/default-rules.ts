import type { FieldCause } from '@kubernode/api';
import { invalid } from '../causes.ts';
import { embeddedCauses, unreadable } from '../objects/embedded.ts';
import { pruned } from '../objects/prune.ts';
import { compileRules } from '../objects/rules.ts';
import { isEmbedded, itemsOf, metaFields, type Plain, type Schema } from '../schema.ts';
import { validateValue } from '../objects/validate-value.ts';

/** Every default of a schema is itself valid, by its rules too, and has no fields that would be pruned. */
export function defaultCauses(schema: Schema, path: string): FieldCause[] {
  return nodeCauses(schema, path, { isRoot: true, inMetadata: false });
}

interface Place {
  readonly isRoot: boolean;
  /** What every object has is completed by what is around it, and keeps fields that no schema names. */
  readonly inMetadata: boolean;
}

function nodeCauses(schema: Schema, path: string, { isRoot, inMetadata }: Place): FieldCause[] {
  const isObject = isRoot || isEmbedded(schema);
  const inMeta = inMetadata && !isEmbedded(schema);
  const hasDefault = schema.default !== undefined && schema.default !== null;
  const own = hasDefault ? valueCauses(schema, `${path}.default`, { isRoot: isObject, inMetadata: inMeta }) : [];
  const items = itemsOf(schema);
  const inItems = items ? nodeCauses(items, `${path}.items`, { isRoot: false, inMetadata: inMeta }) : [];
  const inFields = Object.entries(schema.properties ?? {}).flatMap(([key, below]) => {
    const isMeta = isObject && metaFields.has(key);
    return nodeCauses(below, `${path}.properties[${key}]`, { isRoot: false, inMetadata: inMeta || isMeta });
  });
  return [...own, ...inItems, ...inFields];
}

function valueCauses(schema: Schema, path: string, { isRoot, inMetadata }: Place): FieldCause[] {
  const value: unknown = schema.default;
  const found: FieldCause[] = [];
  // The root keeps what every object has; a default is none, unless its schema says so.
  const wrapped = { value };
  const root: Schema = { type: 'object', properties: { value: schema } };
  if (!inMetadata && hasUnknown(wrapped, root)) {
    found.push(invalid(path, value, 'must not have unknown fields'));
  }
  const whole: Schema = isRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  const bad = inMetadata ? undefined : unreadable(value, whole, path);
  if (bad) return [...found, bad];
  const embedded = inMetadata ? [] : embeddedCauses(value, whole, path);
  if (embedded.length > 0) return [...found, ...embedded];
  const judged = validateValue(value, schema, '', { isDefault: true });
  if (judged.length > 0) return [...found, ...judged.map((cause) => ({ ...cause, field: below(path, cause.field) }))];
  return [...found, ...ruleCauses(schema, path, isRoot)];
}

/** Of objects in objects, metadata is dropped where it is read, and does not count. */
function hasUnknown(value: Plain, schema: Schema): boolean {
  const unknown: string[] = [];
  pruned(value, schema, unknown);
  return unknown.some((path) => !/(^|\.)metadata\./.test(path));
}

/** A default is there before and after, or comes anew. */
function ruleCauses(schema: Schema, path: string, isRoot: boolean): readonly FieldCause[] {
  const rules = compileRules(schema, isRoot);
  const value: unknown = schema.default;
  if (!rules) return [];
  const unchanged = rules({ value, old: value, path });
  return unchanged.length > 0 ? unchanged : rules({ value, old: undefined, path });
}

const below = (path: string, field: string) => (field === '<nil>' ? path : `${path}.${field}`);
