import type { FieldCause } from '@kubernode/api';
import { invalid, required } from '../causes.ts';
import type { Correlated } from './correlated.ts';
import { add, fieldOf, isFull, merge, noneFound, type Found } from './found.ts';
import { checkJunctors } from './junctors.ts';
import { checkEnum, checkFormat, checkItemCount, checkPropertyCount, checkText } from './keywords.ts';
import { checkNumber } from './numbers.ts';
import { isPlain, itemsOf, valuesOf, type Plain, type Schema } from '../schema.ts';
import { checkType } from './value-types.ts';

/** How values are judged. */
export interface ValueOptions {
  /** The value beside the one before an update: what did not change is not judged again. */
  readonly old?: Correlated | undefined;
  /** Of defaults, an integer or a string may be anything: only `anyOf` says what it is. */
  readonly isDefault?: boolean;
}

/** All that OpenAPI's keywords say is wrong with a value. `path`: '' is the object itself. */
export function validateValue(
  value: unknown,
  schema: Schema,
  path: string,
  options: ValueOptions = {},
): readonly FieldCause[] {
  return judged(value, schema, path, options).causes;
}

/** One round of upstream's validators, in their order (kube-openapi, SchemaValidator). */
function judged(value: unknown, schema: Schema, path: string, options: ValueOptions): Found {
  const found = noneFound();
  if (options.old?.isEqual) return found;
  const round = (check: (into: Found) => void) => {
    const part = noneFound();
    check(part);
    merge(found, part);
    found.matches += 1;
  };
  if (value === null || value === undefined) {
    checkType(null, schema, path, options, found);
    checkEnum(null, schema, path, found);
    return found;
  }
  if (schema.type || schema.format || schema['x-kubernetes-int-or-string']) {
    round((into) => checkType(value, schema, path, options, into));
  }
  round((into) => checkJunctors(schema, path, (each) => judged(value, each, path, options), into));
  if (typeof value === 'string') {
    round((into) => checkText(value, schema, path, into));
    if (schema.format) round((into) => checkFormat(value, schema, path, into));
  }
  if (typeof value === 'number' || typeof value === 'bigint') round((into) => checkNumber(value, schema, path, into));
  if (Array.isArray(value)) round((into) => checkItems(value, schema, path, options, into));
  round((into) => checkEnum(value, schema, path, into));
  if (isPlain(value)) round((into) => checkFields(value, schema, path, options, into));
  found.matches += 1;
  return found;
}

function checkItems(list: readonly unknown[], schema: Schema, path: string, options: ValueOptions, found: Found): void {
  const items = itemsOf(schema);
  if (items) {
    for (let index = 0; index < list.length && !isFull(found); index += 1) {
      merge(found, judged(list[index], items, `${path}[${index}]`, { ...options, old: options.old?.item(index) }));
    }
  }
  checkItemCount(list, schema, path, found);
  found.matches += 1;
}

function checkFields(object: Plain, schema: Schema, path: string, options: ValueOptions, found: Found): void {
  const { properties = {} } = schema;
  const { old } = options;
  checkPropertyCount(Object.keys(object).length, schema, path, found);
  // Both are of the same version here, whatever the client sent.
  const below = (key: string): ValueOptions => ({
    ...options,
    old: path === '' && (key === 'kind' || key === 'apiVersion') ? undefined : old?.at(key),
  });
  const values = valuesOf(schema);
  for (const key of Object.keys(object)) {
    if (isFull(found)) break;
    if (Object.hasOwn(properties, key)) continue;
    if (values) merge(found, judged(object[key], values, `${path}.${key}`, below(key)));
    else if (schema.additionalProperties === false) {
      add(found, invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`));
    }
  }
  for (const [key, field] of Object.entries(properties)) {
    if (!Object.hasOwn(object, key) || object[key] === undefined) continue;
    merge(found, judged(object[key], field, path ? `${path}.${key}` : key, below(key)));
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(object, key) || object[key] === undefined) add(found, required(fieldOf(`${path}.${key}`)));
  }
}
