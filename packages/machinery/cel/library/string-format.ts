import { isMap, mapEntries } from '../evaluate/equality.ts';
import { CelError } from '../errors.ts';
import { work } from '../work.ts';
import { formatCelDuration, formatTimestamp } from '../evaluate/time-text.ts';
import { adapt, Double, Duration, isList, Timestamp, TypeValue, Uint, valueType, type CelValue } from '../values.ts';
import { formatDouble } from './conversions.ts';

/** `text.format(values)`: `%s %d %f %e %b %o %x %X` with an optional precision. Throws `CelError`. */
export function formatString(text: string, values: readonly CelValue[]): string {
  let used = 0;
  const result = text.replace(/%(%|(?:\.(\d+))?([\s\S]?))/g, (_whole, all: string, precision?: string, verb = '') => {
    if (all === '%') return '%';
    if (used >= values.length) throw new CelError(`index ${used} out of range`);
    const value = adapt(values[used++]);
    return formatVerb(verb as string, value, precision === undefined ? 6 : Number(precision));
  });
  return result;
}

function formatVerb(verb: string, value: CelValue, precision: number): string {
  switch (verb) {
    case 's':
      return formatValue(value);
    case 'd':
      return integer(value, 10, 'decimal clause can only be used on integers');
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer(value, 2, 'only integers and bools can be formatted as binary');
    case 'o':
      return integer(value, 8, 'octal clause can only be used on integers');
    case 'x':
    case 'X': {
      const digits = hexadecimal(value);
      return verb === 'X' ? digits.toUpperCase() : digits;
    }
    case 'f':
    case 'e':
      return floating(verb, value, precision);
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function clauseError(message: string, value: CelValue): CelError {
  return new CelError(`error during formatting: ${message}, was given ${valueType(value)}`);
}

function integer(value: CelValue, base: number, message: string): string {
  if (typeof value === 'number' || typeof value === 'bigint') return value.toString(base);
  if (value instanceof Uint) return value.value.toString(base);
  if (base === 10 && value instanceof Double && !Number.isFinite(value.value)) return special(value.value);
  throw clauseError(message, value);
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integer(value, 16, 'only integers, byte buffers, and strings can be formatted as hex');
}

function special(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function floating(verb: 'f' | 'e', value: CelValue, precision: number): string {
  const name = verb === 'f' ? 'fixed-point' : 'scientific';
  const number = value instanceof Double ? value.value : value instanceof Uint ? Number(value.value) : Number(value);
  const isNumber =
    value instanceof Double || value instanceof Uint || typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber && !['NaN', 'Infinity', '-Infinity'].includes(String(value as string))) {
    throw clauseError(`${name} clause can only be used on doubles`, value);
  }
  if (!Number.isFinite(number)) return special(number);
  if (verb === 'f') return fixed(number, precision);
  return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function formatValue(value: CelValue): string {
  work(typeof value === 'string' ? 4 + value.length / 8 : 10);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value === null) return 'null';
  if (value instanceof Double) return Number.isFinite(value.value) ? formatDouble(value.value) : special(value.value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatCelDuration(value);
  if (value instanceof TypeValue) return value.type;
  if (isList(value)) return `[${value.map((element) => formatValue(adapt(element))).join(', ')}]`;
  if (!isMap(value))
    throw clauseError(
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      value,
    );
  const entries = Array.from(mapEntries(value), ([key, held]) => `${formatValue(key)}: ${formatValue(held)}`);
  return `{${entries.toSorted().join(', ')}}`;
}

/** Like `toFixed`, but what lies exactly between two goes to the even one, as in Go. */
function fixed(number: number, precision: number): string {
  const rounded = number.toFixed(precision);
  const exact = number.toFixed(Math.min(100, precision + 50));
  const cut = exact.slice(0, exact.indexOf('.') + (precision === 0 ? 0 : precision + 1));
  const isTie = /^\.?50*$/.test(exact.slice(cut.length));
  return isTie && /[02468]$/.test(cut) ? cut : rounded;
}
