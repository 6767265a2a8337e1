import type { FieldCause } from '@kubernode/api';
import { invalid, required, typeInvalid } from './causes.ts';
import { fieldOf, type Found } from './found.ts';
import { checkJunctors } from './junctors.ts';
import { checkKeywords } from './keywords.ts';
import type { Correlated } from './correlated.ts';
import { hasFreeKeys, isIntOrString, isPlain, itemsOf, valuesOf, type Plain, type Schema } from './schema.ts';

/** All that OpenAPI's keywords say is wrong with a value, but with what did not change. `path`: '' is the object itself. */
export function validateValue(value: unknown, schema: Schema, path: string, old?: Correlated): readonly FieldCause[] {
  const found: Found = { causes: [], matches: 0 };
  checkValue(value, schema, path, old, found);
  return found.causes;
}

/** As `validateValue`, into `found`. */
function checkValue(value: unknown, schema: Schema, path: string, old: Correlated | undefined, found: Found): void {
  if (old?.isEqual) return;
  checkType(value, schema, path, found);
  if (value !== null) {
    const judge = (each: Schema): Found => {
      const result: Found = { causes: [], matches: 0 };
      checkValue(value, each, path, old, result);
      return result;
    };
    checkJunctors(schema, path, judge, found);
  }
  checkKeywords(value, schema, path, found);
  if (Array.isArray(value)) checkItems(value, schema, path, old, found);
  else if (isPlain(value)) checkFields(value, schema, path, old, found);
}

function checkType(value: unknown, schema: Schema, path: string, found: Found): void {
  const types = isIntOrString(schema) ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  found.matches += 1;
  if (types.length === 0) return;
  if (value === null && schema.nullable) return;
  const actual = typeOf(value);
  const isOfType = types.some((type) => type === actual || (type === 'number' && actual === 'integer'));
  if (isOfType) return;
  const detail = `${path} in body must be of type ${types.join(',')}: ${JSON.stringify(actual)}`;
  found.causes.push(typeInvalid(fieldOf(path), actual, detail));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkItems(
  list: readonly unknown[],
  schema: Schema,
  path: string,
  old: Correlated | undefined,
  found: Found,
): void {
  const items = itemsOf(schema);
  if (!items) return;
  list.forEach((item, index) => checkValue(item, items, `${path}[${index}]`, old?.item(index), found));
}

function checkFields(object: Plain, schema: Schema, path: string, old: Correlated | undefined, found: Found): void {
  const { properties = {} } = schema;
  const at = (key: string) => (path ? `${path}.${key}` : key);
  // Both are of the same version here, whatever the client sent.
  const oldAt = (key: string) => (path === '' && (key === 'kind' || key === 'apiVersion') ? undefined : old?.at(key));
  const values = valuesOf(schema);
  for (const key of Object.keys(object)) {
    const below = Object.hasOwn(properties, key) ? properties[key] : values;
    if (below) checkValue(object[key], below, at(key), oldAt(key), found);
    else if (schema.additionalProperties === false && !hasFreeKeys(schema) && !Object.hasOwn(properties, key)) {
      found.causes.push(invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`));
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(object, key) || object[key] === undefined) found.causes.push(required(fieldOf(at(key))));
  }
}
