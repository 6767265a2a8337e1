import type { FieldCause } from '@kubernode/api';
import { invalid } from './causes.ts';
import { embeddedCauses } from './embedded.ts';
import { pruned } from './prune.ts';
import { isEmbedded, isPlain, itemsOf, type Schema } from './schema.ts';
import { validateValue } from './validate-value.ts';

/** Every default of a schema is itself valid, and has no fields that would be pruned. */
export function defaultCauses(schema: Schema, path: string): FieldCause[] {
  const own = schema.default === undefined ? [] : valueCauses(schema, `${path}.default`);
  const items = itemsOf(schema);
  const inItems = items ? defaultCauses(items, `${path}.items`) : [];
  const inFields = Object.entries(schema.properties ?? {}).flatMap(([key, below]) =>
    defaultCauses(below, `${path}.properties[${key}]`),
  );
  return [...own, ...inItems, ...inFields];
}

function valueCauses(schema: Schema, path: string): FieldCause[] {
  const value: unknown = schema.default;
  const found: FieldCause[] = [];
  // The root keeps what every object has; a default is none, unless its schema says so.
  const wrapped = { value };
  const root: Schema = { type: 'object', properties: { value: schema } };
  if (pruned(wrapped, root) !== wrapped) found.push(invalid(path, value, 'must not have unknown fields'));
  const embedded = isEmbedded(schema) && isPlain(value) ? embeddedCauses(value, schema, path) : [];
  if (embedded.length > 0) return [...found, ...embedded];
  const judged = validateValue(value, schema, '');
  return [...found, ...judged.map((cause) => ({ ...cause, field: below(path, cause.field ?? '') }))];
}

const below = (path: string, field: string) =>
  field === '<nil>' ? path : field.startsWith('[') ? path + field : `${path}.${field}`;
