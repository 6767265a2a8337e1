import {
  addQuantities,
  compareQuantities,
  isQuantity,
  quantityOf,
  quantityScaled,
  subtractQuantities,
} from '../../quantity.ts';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { Double, int64Max, int64Min, Opaque, toInt, type CelValue } from '../values.ts';
import { opaqueType } from '../types.ts';

/** The type of quantities, as variables have it. */
export const quantityType = opaqueType('kubernetes.Quantity');

class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Quantity && compare(this, other) === 0;
  }
}

function parse(text: string): Quantity {
  if (text === '') throw new CelError('quantities must match the regular expression');
  if (isQuantity(text)) return new Quantity(text);
  throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

const compare = (a: Quantity, b: Quantity): number => Math.sign(compareQuantities(a.text, b.text));

/** The quantity as an int; undefined when it has a fraction or is beyond 64 bits. */
function whole({ text }: Quantity): bigint | undefined {
  const value = quantityScaled(text, 0);
  const isExact = quantityScaled(text, -9) === value * 1_000_000_000n;
  return isExact && value <= int64Max && value >= int64Min ? value : undefined;
}

function asInteger(quantity: Quantity): CelValue {
  const value = whole(quantity);
  if (value === undefined) throw new CelError('cannot convert value to integer');
  return toInt(value);
}

/** Resource quantities. */
export const quantityLibrary = functionTable([
  ['quantity', 'string_to_quantity', '(string) kubernetes.Quantity', parse],
  ['isQuantity', 'is_quantity_string', '(string) bool', (text: string) => text !== '' && isQuantity(text)],
  ['sign', 'quantity_sign', 'kubernetes.Quantity.() int', (quantity: Quantity) => compare(quantity, new Quantity('0'))],
  [
    'isGreaterThan',
    'quantity_is_greater_than',
    'kubernetes.Quantity.(kubernetes.Quantity) bool',
    (a: Quantity, b: Quantity) => compare(a, b) > 0,
  ],
  [
    'isLessThan',
    'quantity_is_less_than',
    'kubernetes.Quantity.(kubernetes.Quantity) bool',
    (a: Quantity, b: Quantity) => compare(a, b) < 0,
  ],
  ['compareTo', 'quantity_compare_to', 'kubernetes.Quantity.(kubernetes.Quantity) int', compare],
  [
    'asApproximateFloat',
    'quantity_get_float',
    'kubernetes.Quantity.() double',
    ({ text }: Quantity) => new Double(Number(quantityScaled(text, -9)) / 1e9),
  ],
  ['asInteger', 'quantity_get_int', 'kubernetes.Quantity.() int', asInteger],
  [
    'isInteger',
    'quantity_is_integer',
    'kubernetes.Quantity.() bool',
    (quantity: Quantity) => whole(quantity) !== undefined,
  ],
  [
    'add',
    'quantity_add',
    'kubernetes.Quantity.(kubernetes.Quantity) kubernetes.Quantity',
    (a: Quantity, b: Quantity) => new Quantity(addQuantities(a.text, b.text)),
  ],
  [
    'add',
    'quantity_add_int',
    'kubernetes.Quantity.(int) kubernetes.Quantity',
    (a: Quantity, b: number | bigint) => new Quantity(addQuantities(a.text, quantityOf(b))),
  ],
  [
    'sub',
    'quantity_sub',
    'kubernetes.Quantity.(kubernetes.Quantity) kubernetes.Quantity',
    (a: Quantity, b: Quantity) => new Quantity(subtractQuantities(a.text, b.text)),
  ],
  [
    'sub',
    'quantity_sub_int',
    'kubernetes.Quantity.(int) kubernetes.Quantity',
    (a: Quantity, b: number | bigint) => new Quantity(subtractQuantities(a.text, quantityOf(b))),
  ],
]);
