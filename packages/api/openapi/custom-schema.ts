import { apiVersionText, kindText } from './texts.ts';
import type { Schema } from './schemas.ts';

/** A structural schema as documents of version 3 have it. */
export function published(schema: Schema, metadata: Schema): Schema {
  return mapped(schema, (part) => embedded(unfolded(part), metadata));
}

/**
 * The same for version 2, which has no junctors, no `nullable` and no defaults. kubectl refuses fields that a schema with
 * properties does not name, so what keeps unknown fields loses its properties and its type.
 */
export function downgraded(schema: Schema, metadata: Schema): Schema {
  return mapped(schema, (part) => {
    const keepsUnknown = part['x-kubernetes-preserve-unknown-fields'] === true;
    const isNullable = part['nullable'] === true;
    const kept = without(part, version3Only);
    const open = isNullable || keepsUnknown ? without(kept, ['items', 'properties']) : kept;
    const isUntyped =
      isNullable ||
      (open['type'] === 'array' && open['items'] === undefined) ||
      (keepsUnknown && open['type'] === 'object');
    const typed = isUntyped ? without(open, ['type']) : open;
    const asked = requiredOf(part, typed);
    return keepsUnknown ? asked : embedded(asked, metadata);
  });
}

const version3Only = ['allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default'];

/** What may be null cannot be asked for: version 2 does not know null. */
function requiredOf(original: Schema, schema: Schema): Schema {
  const values = original['additionalProperties'] as Schema | boolean | undefined;
  if (typeof values === 'object' && values['nullable'] === true) return without(schema, ['required']);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const originals = (original['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const kept = required.filter((name) => !properties[name] || originals[name]?.['nullable'] !== true);
  if (kept.length === required.length) return schema;
  return kept.length > 0 ? { ...schema, required: kept } : without(schema, ['required']);
}

/** An integer or a string says so in the terms of OpenAPI, too. */
function unfolded(schema: Schema): Schema {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema;
  if (hasUnion(schema)) return schema;
  const union = [{ type: 'integer' }, { type: 'string' }];
  if (schema['anyOf'] === undefined) return { ...schema, anyOf: union };
  return { ...schema, allOf: [{ anyOf: union }, ...((schema['allOf'] as readonly Schema[] | undefined) ?? [])] };
}

function hasUnion(schema: Schema): boolean {
  const isUnion = (value: unknown) =>
    JSON.stringify((value as readonly Schema[] | undefined)?.map(({ type }) => type)) === '["integer","string"]';
  const first = (schema['allOf'] as readonly Schema[] | undefined)?.[0];
  return isUnion(schema['anyOf']) || isUnion(first?.['anyOf']);
}

/** An embedded resource has what every object has. */
function embedded(schema: Schema, metadata: Schema): Schema {
  if (schema['x-kubernetes-embedded-resource'] !== true) return schema;
  const required = (schema['required'] ?? []) as readonly string[];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return {
    ...schema,
    properties: { ...(schema['properties'] as Schema | undefined), ...typeMeta, metadata },
    required: [...required, ...missing],
  };
}

/** The fields that say what an object is. */
export const typeMeta = {
  apiVersion: { description: apiVersionText, type: 'string' },
  kind: { description: kindText, type: 'string' },
};

/** Every schema in a schema, but for those in junctors, from the inside out. */
function mapped(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const inner = (value: unknown) =>
    typeof value === 'object' && value !== null ? mapped(value as Schema, change) : value;
  const own: Record<string, unknown> = { ...schema };
  if (own['items'] !== undefined) own['items'] = inner(own['items']);
  if (own['additionalProperties'] !== undefined) own['additionalProperties'] = inner(own['additionalProperties']);
  if (own['properties'] !== undefined) {
    const properties = Object.entries(own['properties'] as Schema);
    own['properties'] = Object.fromEntries(properties.map(([name, value]) => [name, inner(value)]));
  }
  return change(own);
}

function without(schema: Schema, keys: readonly string[]): Schema {
  if (!keys.some((key) => key in schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}
