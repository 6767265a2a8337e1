import { withSortedKeys } from '@kubernode/machinery';
import type { FieldCause } from '@kubernode/api';

/** The causes of apimachinery's field errors, as upstream words them. */
export const invalid = (field: string, value: unknown, detail: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${quoted(value)}: ${detail}`,
  field,
});

export const typeInvalid = (field: string, value: unknown, detail: string): FieldCause => ({
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${quoted(value)}: ${detail}`,
  field,
});

export const required = (field: string, detail = ''): FieldCause => ({
  reason: 'FieldValueRequired',
  message: detail ? `Required value: ${detail}` : 'Required value',
  field,
});

export const forbidden = (field: string, detail: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
});

export const duplicate = (field: string, value: unknown): FieldCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${quoted(value)}`,
  field,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${quoted(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  field,
});

export const tooLong = (field: string, max: number): FieldCause => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${max} byte${max === 1 ? '' : 's'}`,
  field,
});

export const tooMany = (field: string, count: number, max: number): FieldCause => ({
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${max} item${max === 1 ? '' : 's'}`,
  field,
});

/** What upstream takes for its own fault. */
export const internalError = (field: string, detail: string): FieldCause => ({
  reason: 'InternalError',
  message: `Internal error: ${detail}`,
  field,
});

/** As Go prints a bad value: a struct as it stands, a map by its keys. */
function quoted(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (value instanceof GoStruct) return goEscaped(JSON.stringify(value.fields));
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return goFloat(value, Number.isSafeInteger(value));
  if (Array.isArray(value) && value.length === 0) return 'null';
  return goEscaped(JSON.stringify(withSortedKeys(value)) ?? 'null');
}

/** A bad value whose fields are shown in their own order. */
export class GoStruct {
  readonly fields: object;

  constructor(fields: object) {
    this.fields = fields;
  }
}

const goEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
const goEscaped = (text: string): string => text.replace(/[<>&]/g, (letter) => goEscapes[letter] ?? letter);

/** A number as Go prints it. */
export function goFloat(value: number, isInt = false): string {
  const magnitude = Math.abs(value);
  const isPlain = value === 0 || isInt || (magnitude >= 1e-4 && magnitude < 1e21 && !(magnitude >= 1e6));
  if (isPlain) return isInt && Number.isInteger(value) ? String(BigInt(value)) : String(value);
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const size = Math.abs(Number(exponent)).toString().padStart(2, '0');
  return `${digits}e${exponent.startsWith('-') ? '-' : '+'}${size}`;
}

/** Nobody is told of more. */
const causesMax = 2_000;

/** Causes with those that say the same told as often as they were found. */
export function counted(causes: readonly FieldCause[]): readonly FieldCause[] {
  if (causes.length < 2) return causes;
  const found = new Map<string, FieldCause>();
  for (const cause of causes.slice(0, causesMax)) {
    const key = `${cause.reason} ${cause.field} ${cause.message}`;
    const known = found.get(key);
    found.set(key, known ? { ...known, repeats: (known.repeats ?? 1) + 1 } : cause);
  }
  return [...found.values()];
}
