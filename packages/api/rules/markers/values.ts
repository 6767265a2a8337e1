import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required, tooLong, tooMany } from '../cause.ts';
import { type Check, type Form, isSet, nothing } from './check.ts';
import { formats } from './formats.ts';
import type { Marker } from './marker.ts';

/** Markers that end the checks of a field when they find something; `optional` ends them where nothing is set. */
export const endsChecks = new Set([
  'required',
  'optional',
  'forbidden',
  'maxItems',
  'immutable',
  'update',
  'ifEnabled',
  'ifDisabled',
]);

/** The check of one marker; undefined for those that say nothing of a value. */
export function valueCheck({ name, argument }: Marker, form: Form): Check | undefined {
  const limit = Number(argument);
  switch (name) {
    case 'required':
      return ({ value, path }) => (isSet(value, form) ? nothing : [required(path)]);
    case 'forbidden':
      return ({ value, path }) => (isSet(value, form) ? [forbidden(path, '')] : nothing);
    case 'immutable':
      return ({ path }, { isUpdate }) => (isUpdate ? [invalid(path, null, 'field is immutable')] : nothing);
    case 'monotonic':
      return ({ value, old, path }) =>
        typeof value === 'number' && typeof old === 'number' && value < old
          ? [invalid(path, value, `may not be decreased from ${old}`)]
          : nothing;
    case 'maxItems':
      return list((items, path) => (items.length > limit ? [tooMany(path, items.length, limit)] : nothing));
    case 'minimum':
      return number((value, path) =>
        value < limit ? [invalid(path, value, `must be greater than or equal to ${limit}`)] : nothing,
      );
    case 'maximum':
      return number((value, path) =>
        value > limit ? [invalid(path, value, `must be less than or equal to ${limit}`)] : nothing,
      );
    case 'maxBytes':
      return text((value, path) => (Buffer.byteLength(value) > limit ? [tooLong(path, limit)] : nothing));
    case 'maxLength':
      return text((value, path) =>
        value.length > limit && Array.from(value).length > limit ? [tooLong(path, limit)] : nothing,
      );
    case 'enum': {
      const names = argument.split(',');
      return text((value, path) => (names.includes(value) ? nothing : [notSupported(path, value, names)]));
    }
    case 'format': {
      const format = formats[argument];
      return format && text(format);
    }
    default:
      return undefined;
  }
}

type Find<V> = (value: V, path: string) => readonly FieldCause[];

const number =
  (find: Find<number>): Check =>
  ({ value, path }) =>
    typeof value === 'number' ? find(value, path) : nothing;
const list =
  (find: Find<readonly unknown[]>): Check =>
  ({ value, path }) =>
    Array.isArray(value) ? find(value, path) : nothing;

/** A string that is not a pointer is there even when it is empty. */
function text(find: Find<string>): Check {
  return ({ value, path }) => (value === undefined || typeof value === 'string' ? find(value ?? '', path) : nothing);
}
