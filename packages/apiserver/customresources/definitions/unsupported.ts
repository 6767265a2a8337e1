import { schemasIn } from './schema-walk.ts';
import type { Schema } from '../schema.ts';

/** Why a schema cannot be made a structural one at all; undefined where it can (apiextensions, NewStructural). */
export function whyNotStructural(schema: Schema): string | undefined {
  for (const name of ['id', '$schema', '$ref'] as const) {
    if (schema[name]) return `OpenAPIV3Schema '${name.replace('$schema', 'schema')}' is not supported`;
  }
  for (const name of ['patternProperties', 'dependencies'] as const) {
    if (Object.keys(schema[name] ?? {}).length > 0) return `OpenAPIV3Schema '${name}' is not supported`;
  }
  if (schema.additionalItems !== undefined) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (Object.keys(schema.definitions ?? {}).length > 0) return "OpenAPIV3Schema 'definitions' is not supported";
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const each of schemasIn(schema)) {
    const why = whyNotStructural(each);
    if (why) return why;
  }
  return undefined;
}
