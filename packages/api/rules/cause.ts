import type { FieldCause } from '../status-error.ts';

/** The value breaks a rule; `detail` says which ("must be greater than or equal to 0"). */
export const invalid = (field: string, value: unknown, detail: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${quoted(value)}: ${detail}`,
  field,
});

export const required = (field: string, detail = ''): FieldCause => ({
  reason: 'FieldValueRequired',
  message: withDetail('Required value', detail),
  field,
});

/** The value is none of a closed set. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldCause => {
  const values = supported
    .toSorted()
    .map((each) => JSON.stringify(each))
    .join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: withDetail(`Unsupported value: ${quoted(value)}`, values && `supported values: ${values}`),
    field,
  };
};

export const duplicate = (field: string, value: unknown): FieldCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${quoted(value)}`,
  field,
});

export const forbidden = (field: string, detail: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: withDetail('Forbidden', detail),
  field,
});

export const notFound = (field: string, value: unknown): FieldCause => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${quoted(value)}`,
  field,
});

export const tooLong = (field: string, maxBytes: number): FieldCause => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${maxBytes} bytes`,
  field,
});

export const tooMany = (field: string, count: number, max: number): FieldCause => ({
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${max} item${max === 1 ? '' : 's'}`,
  field,
});

/** As upstream prints a bad value: strings quoted, an absent one as "null", objects as JSON. */
function quoted(value: unknown): string {
  if (value === undefined || value === null) return '"null"';
  const isPrinted = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isPrinted ? String(value) : JSON.stringify(value);
}

const withDetail = (text: string, detail: string) => (detail ? `${text}: ${detail}` : text);
