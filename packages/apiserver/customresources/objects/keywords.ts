import { deepEqual } from '@kubernode/machinery';
import { compilePattern } from '@kubernode/machinery/cel';
import { invalid, notSupported, tooLong, tooMany, typeInvalid } from '../causes.ts';
import { isOfFormat } from './formats.ts';
import { add, fieldOf, type Found } from './found.ts';
import { matchesPattern } from './pattern.ts';
import type { Schema } from '../schema.ts';
import { formatOf } from './value-types.ts';

/** A text's length and pattern; what is wrong first is told alone. */
export function checkText(text: string, schema: Schema, path: string, found: Found): void {
  const { maxLength, minLength, pattern } = schema;
  const field = fieldOf(path);
  const length = maxLength !== undefined || minLength !== undefined ? lengthOf(text) : 0;
  if (maxLength !== undefined && length > maxLength) return add(found, tooLong(field, maxLength));
  if (minLength !== undefined && length < minLength) {
    return add(found, invalid(field, text, `${path} in body should be at least ${minLength} chars long`));
  }
  if (!pattern) return;
  const compiled = compilePattern(pattern);
  const matches = compiled instanceof Error ? false : matchesPattern(text, compiled);
  if (matches === undefined) {
    add(found, invalid(field, '', `${path} in body is too long for its pattern to be checked`));
  } else if (!matches) {
    add(found, invalid(field, text, `${path} in body should match '${pattern}'`));
  }
}

/** In code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

export function checkFormat(text: string, schema: Schema, path: string, found: Found): void {
  const format = formatOf(schema);
  if (!format || schema.type === 'integer' || schema.type === 'number' || isOfFormat(text, format)) return;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text)}`;
  add(found, typeInvalid(fieldOf(path), text, detail));
}

export function checkItemCount(list: readonly unknown[], schema: Schema, path: string, found: Found): void {
  const { maxItems, minItems, uniqueItems } = schema;
  const { length } = list;
  if (minItems !== undefined && length < minItems) {
    add(found, invalid(fieldOf(path), length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && length > maxItems) add(found, tooMany(fieldOf(path), length, maxItems));
  if (uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < length) {
    add(found, invalid(fieldOf(path), '', `${path} in body shouldn't contain duplicates`));
  }
}

export function checkEnum(value: unknown, schema: Schema, path: string, found: Found): void {
  const choices = schema.enum as readonly unknown[] | undefined;
  if (!choices || choices.length === 0) return;
  if (value !== null && (setOf(choices).has(value) || choices.some((each) => isSameAs(each, value)))) return;
  const supported = choices.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  add(found, notSupported(fieldOf(path), value, supported));
}

const choiceSets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

function setOf(choices: readonly unknown[]): ReadonlySet<unknown> {
  const known = choiceSets.get(choices) ?? new Set(choices);
  choiceSets.set(choices, known);
  return known;
}

/** Values are compared as the choice's own type: 1.5 is 1 where 1 is asked for, 97 is "a" (kube-openapi, Go's conversions). */
function isSameAs(choice: unknown, value: unknown): boolean {
  if (choice === value) return true;
  if (choice === null || choice === undefined) return false;
  if (typeof value === 'number' && typeof choice === 'number') {
    return Number.isInteger(choice) && choice === Math.trunc(value);
  }
  if (typeof value === 'number' && typeof choice === 'string') {
    return Number.isInteger(value) && value >= 0 && value <= 0x10ffff && choice === String.fromCodePoint(value);
  }
  return typeof choice === 'object' && typeof value === 'object' && deepEqual(choice, value);
}

export function checkPropertyCount(
  size: number,
  { minProperties, maxProperties }: Schema,
  path: string,
  found: Found,
): void {
  if (minProperties !== undefined && size < minProperties) {
    add(found, invalid(fieldOf(path), size, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && size > maxProperties) add(found, tooMany(fieldOf(path), size, maxProperties));
}
