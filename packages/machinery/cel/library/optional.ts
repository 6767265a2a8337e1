import { isMap, mapSize } from '../evaluate/equality.ts';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { Double, Duration, isList, Optional, Timestamp, Uint, type CelValue } from '../values.ts';

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanoseconds === 0n;
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Optional) return value.value === undefined;
  return isMap(value) && mapSize(value) === 0;
}

function valueOf(optional: Optional): CelValue {
  if (optional.value === undefined) throw new CelError('optional.none() dereference');
  return optional.value;
}

/** Optional values. What reads parts of optionals has its signature here and its closure in the compiler. */
export const optionalLibrary = functionTable([
  ['optional.of', 'optional_of', '(A) optional(A)', (value: CelValue) => new Optional(value)],
  [
    'optional.ofNonZeroValue',
    'optional_ofNonZeroValue',
    '(A) optional(A)',
    (value: CelValue) => (isZero(value) ? Optional.none : new Optional(value)),
  ],
  ['optional.none', 'optional_none', '() optional(A)', () => Optional.none],
  ['optional.unwrap', 'optional_unwrap', '(list(optional(A))) list(A)', unwrapAll],
  ['unwrapOpt', 'optional_unwrapOpt', 'list(optional(A)).() list(A)', unwrapAll],
  ['value', 'optional_value', 'optional(A).() A', valueOf],
  ['hasValue', 'optional_hasValue', 'optional(A).() bool', (optional: Optional) => optional.value !== undefined],
  [
    'or',
    'optional_or_optional',
    'optional(A).(optional(A)) optional(A)',
    (optional: Optional, other: Optional) => (optional.value === undefined ? other : optional),
  ],
  [
    'orValue',
    'optional_orValue_value',
    'optional(A).(A) A',
    (optional: Optional, other: CelValue) => optional.value ?? other,
  ],
  ['_[_]', 'optional_list_index_int', '(optional(list(A)), int) optional(A)', valueOf],
  ['_[_]', 'optional_map_index_value', '(optional(map(A, B)), A) optional(B)', valueOf],
  ['_[?_]', 'list_optindex_optional_int', '(list(A), int) optional(A)', valueOf],
  ['_[?_]', 'optional_list_optindex_optional_int', '(optional(list(A)), int) optional(A)', valueOf],
  ['_[?_]', 'map_optindex_optional_value', '(map(A, B), A) optional(B)', valueOf],
  ['_[?_]', 'optional_map_optindex_optional_value', '(optional(map(A, B)), A) optional(B)', valueOf],
]);

function unwrapAll(optionals: readonly Optional[]): CelValue {
  return optionals.flatMap(({ value }) => (value === undefined ? [] : [value]));
}
