import { goFloat, invalid } from '../causes.ts';
import { add, fieldOf, type Found } from './found.ts';
import type { Schema } from '../schema.ts';
import { formatOf, isInteger, isNearInteger } from './value-types.ts';

const int32Max = 2 ** 31;
const int64Max = 2 ** 63;
const float32Max = 3.4028234663852886e38;

/** What bounds and factors say of a number, as the type that the schema gives it (kube-openapi, numberValidator). */
export function checkNumber(value: number | bigint, schema: Schema, path: string, found: Found): void {
  const { maximum, minimum, exclusiveMaximum = false, exclusiveMinimum = false, multipleOf } = schema;
  const isIn = (number: number | bigint, what: string) => checkRange(number, what, schema, path, found);
  const fail = (detail: string) => add(found, invalid(fieldOf(path), value, `${path} in body should be ${detail}`));
  isIn(value, 'Checked');
  const isInt = isInteger(value);
  const isWhole = (factor: number) => isInt && Number.isInteger(factor);
  // A bound that is of the schema's own type is cut to a whole number for whole numbers.
  const bound = (number: number, what: string) => (isIn(number, what) && isInt ? Math.trunc(number) : number);
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf, 'MultipleOf');
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${path} must be positive: ${goFloat(factor)}`;
      add(found, invalid(fieldOf(path), factor, detail));
    } else if (
      isWhole(factor)
        ? BigInt(value) % BigInt(factor) !== 0n
        : !isNearInteger(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor)
    ) {
      fail(`a multiple of ${goFloat(factor, isInt)}`);
    }
  }
  if (minimum !== undefined) {
    const min = bound(minimum, 'Minimum boundary');
    if (exclusiveMinimum ? value <= min : value < min) {
      fail(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${goFloat(min, isInt)}`);
    }
  }
  if (maximum !== undefined) {
    const max = bound(maximum, 'Maximum boundary');
    if (exclusiveMaximum ? value >= max : value > max) {
      fail(`less than ${exclusiveMaximum ? '' : 'or equal to '}${goFloat(max, isInt)}`);
    }
  }
  found.matches += 1;
}

/** Whether a number, or a bound, is one of the schema's type and format. */
function checkRange(value: number | bigint, what: string, schema: Schema, path: string, found: Found): boolean {
  const { type } = schema;
  const format = type === 'integer' || type === 'number' ? formatOf(schema) : '';
  if (isOfRange(value, type, format)) return true;
  const how = format ? `with format ${format}` : '(default format)';
  add(found, invalid('<nil>', '', `${what} value must be of type ${type} ${how} in ${path}`));
  return false;
}

function isOfRange(value: number | bigint, type: string | undefined, format: string): boolean {
  if (type !== 'integer') return format !== 'float' || Math.abs(Number(value)) <= float32Max;
  if (typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) < int64Max)) return false;
  return format !== 'int32' || (value >= -int32Max && value < int32Max);
}
