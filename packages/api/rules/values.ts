import { deepEqual } from '@kubernode/machinery';
import type { FieldCause } from '../status-error.ts';
import { duplicate, invalid, notSupported, required as requiredCause, tooLong, tooMany } from './cause.ts';
import { evenIfAbsent, type Rule } from './rule.ts';

const nothing: readonly FieldCause[] = [];

/** Absent, or the zero value that Go takes for absent: "" or []. An empty object counts as something. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

const isEmptyObject = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** Something has to be there. */
export const required: Rule<unknown> = requiredBecause('');

/** As `required`, with upstream's hint. */
export function requiredBecause(detail: string): Rule<unknown> {
  return evenIfAbsent((value, path) => (isEmpty(value) ? [requiredCause(path, detail)] : nothing));
}

/** It has to be there, 0 included, and then to keep the rule. */
export function orRequired<V>(rule: Rule<V>): Rule<V> {
  return evenIfAbsent((value: V | undefined, path) =>
    value === undefined ? [requiredCause(path)] : rule(value, path),
  );
}

/** A map has to have an entry. */
export const requiredEntries: Rule<object> = evenIfAbsent((value: object | undefined, path) =>
  isEmpty(value) || isEmptyObject(value) ? [requiredCause(path)] : [],
);

/** An update must leave it as it was. */
export const immutable: Rule<unknown> = immutableBecause('field is immutable');

export function immutableBecause(detail: string): Rule<unknown> {
  return evenIfAbsent((value, path, old) => (sameValue(value, old) ? nothing : [invalid(path, value, detail)]));
}

/** One of a closed set; `supported` is also what the message lists. */
export function oneOf(...supported: readonly string[]): Rule<string> {
  return (value, path) => (supported.includes(value) ? nothing : [notSupported(path, value, supported)]);
}

/** As `oneOf`, taking "" for a value that must be there. */
export function requiredOneOf(...supported: readonly string[]): Rule<string> {
  return evenIfAbsent((value, path) => {
    if (isEmpty(value)) return [requiredCause(path)];
    return supported.includes(value) ? nothing : [notSupported(path, value, supported)];
  });
}

export function between(min: number, max: number): Rule<number> {
  const detail = `must be between ${min} and ${max}, inclusive`;
  return (value, path) => (value < min || value > max ? [invalid(path, value, detail)] : nothing);
}

export function atLeast(min: number): Rule<number> {
  return (value, path) => (value < min ? [invalid(path, value, `must be greater than or equal to ${min}`)] : nothing);
}

export const nonNegative: Rule<number> = atLeast(0);
export const positive: Rule<number> = (value, path) =>
  value > 0 ? [] : [invalid(path, value, 'must be greater than 0')];
export const portNumber: Rule<number> = between(1, 65535);

/** At most so many bytes of UTF-8. */
export function maxBytes(max: number): Rule<string> {
  return (value, path) => (value.length > max || Buffer.byteLength(value) > max ? [tooLong(path, max)] : []);
}

export function maxItems(max: number): Rule<readonly unknown[]> {
  return (list, path) => (list.length > max ? [tooMany(path, list.length, max)] : nothing);
}

/** A validator of the machinery as a rule: a cause for each of its messages. */
export function format(validator: (value: string) => readonly string[]): Rule<string> {
  return (value, path) => {
    const details = validator(value);
    return details.length === 0 ? nothing : details.map((detail) => invalid(path, value, detail));
  };
}

/** No two items alike. */
export const unique: Rule<readonly unknown[]> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap(
    (item, index) => firstSight(seen, JSON.stringify(item)) || [duplicate(`${path}[${index}]`, item)],
  );
};

/** No two items with the same value of a field; the cause is at the field (`ports[1].name`). Empty ones do not count. */
export function uniqueBy<V extends object>(name: keyof V & string): Rule<readonly V[]> {
  return (list, path) => {
    const seen = new Set<unknown>();
    return list.flatMap((item, index) => {
      const value = item[name];
      if (value === undefined || value === '') return [];
      return firstSight(seen, value) || [duplicate(`${path}[${index}].${name}`, value)];
    });
  };
}

function firstSight(seen: Set<unknown>, key: unknown): readonly FieldCause[] | false {
  if (seen.has(key)) return false;
  seen.add(key);
  return [];
}

/** Absent, null, "", [] and {} are one value here, as after a round trip through Go's omitempty. */
export function sameValue(left: unknown, right: unknown): boolean {
  return left === right || (isZero(left) && isZero(right)) || deepEqual(left, right);
}

const isZero = (value: unknown) => isEmpty(value) || isEmptyObject(value) || value === false;

/**
 * Equal as upstream's semantic equality has it: an absent map or list equals an empty one, and quantities of one value are
 * equal however they are written; an absent pointer differs from one to a zero, and "" from an absent string where the
 * decoded form keeps them apart.
 */
export function semanticallyEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => semanticallyEqual(item, right[index]))
    );
  }
  const before = left as Record<string, unknown>;
  const after = right as Record<string, unknown>;
  for (const name in before) if (!semanticallyEqual(before[name], after[name])) return false;
  for (const name in after) if (!Object.hasOwn(before, name) && !isNothing(after[name])) return false;
  return true;
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
