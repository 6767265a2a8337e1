import { CelError } from '../errors.ts';
import { functionTable, type OverloadRow } from '../function.ts';
import { formatCelDuration, formatTimestamp, parseCelDuration, parseTimestamp } from '../evaluate/time-text.ts';
import {
  Double,
  Duration,
  int64Max,
  int64Min,
  Timestamp,
  toInt,
  toUint,
  Uint,
  uint64Max,
  type CelValue,
} from '../values.ts';

type Int = number | bigint;

function doubleToInt({ value }: Double): Int {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelError('integer overflow');
  return toInt(BigInt(Math.trunc(value)));
}

function doubleToUint({ value }: Double): Uint {
  if (!(value >= 0 && value < 2 ** 64)) throw new CelError('unsigned integer overflow');
  return new Uint(BigInt(Math.trunc(value)));
}

function conversionError(text: string, to: string, problem: string): CelError {
  return new CelError(`strconv.Parse${to}: parsing ${JSON.stringify(text)}: ${problem}`);
}

/** Of decimal digits, with a sign or without; very many are read in part only, for they are out of range anyway. */
const bigInt = (text: string) => BigInt(text.length > 1024 ? text.replace(/^(-?)0+(?=\d)/, '$1').slice(0, 1024) : text);

function parseInteger(text: string): Int {
  if (!/^[+-]?\d+$/.test(text)) throw conversionError(text, 'Int', 'invalid syntax');
  const value = bigInt(text.replace(/^\+/, ''));
  if (value > int64Max || value < int64Min) throw conversionError(text, 'Int', 'value out of range');
  return toInt(value);
}

function parseUnsigned(text: string): Uint {
  if (!/^\d+$/.test(text)) throw conversionError(text, 'Uint', 'invalid syntax');
  const value = bigInt(text);
  if (value > uint64Max) throw conversionError(text, 'Uint', 'value out of range');
  return new Uint(value);
}

function parseDouble(text: string): Double {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return new Double(text.startsWith('-') ? -Infinity : Infinity);
  if (/^nan$/i.test(text)) return new Double(Number.NaN);
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    throw conversionError(text, 'Float', 'invalid syntax');
  return new Double(Number(text));
}

function parseBoolean(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw conversionError(text, 'Bool', 'invalid syntax');
}

/** A double as Go's `%g` with the fewest digits writes it. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 21) return value.toFixed(Math.max(0, (digits.split('.')[1]?.length ?? 0) - power));
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toTimestamp(text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw new CelError(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`);
}

function toDuration(text: string): Duration {
  const duration = parseCelDuration(text);
  if (duration === undefined) throw new CelError(`time: invalid duration ${JSON.stringify(text)}`);
  return duration;
}

const floorSeconds = (nanoseconds: bigint): bigint => {
  const seconds = nanoseconds / 1_000_000_000n;
  return nanoseconds % 1_000_000_000n < 0n ? seconds - 1n : seconds;
};

const same = (value: CelValue): CelValue => value;

const rows: readonly OverloadRow[] = [
  ['int', 'int64_to_int64', '(int) int', same],
  ['int', 'uint64_to_int64', '(uint) int', ({ value }: Uint) => toInt(value)],
  ['int', 'double_to_int64', '(double) int', doubleToInt],
  ['int', 'string_to_int64', '(string) int', parseInteger],
  ['int', 'timestamp_to_int64', '(timestamp) int', (time: Timestamp) => toInt(floorSeconds(time.nanoseconds))],
  ['int', 'duration_to_int64', '(duration) int', (time: Duration) => toInt(time.nanoseconds)],
  ['uint', 'uint64_to_uint64', '(uint) uint', same],
  ['uint', 'int64_to_uint64', '(int) uint', (value: Int) => toUint(BigInt(value))],
  ['uint', 'double_to_uint64', '(double) uint', doubleToUint],
  ['uint', 'string_to_uint64', '(string) uint', parseUnsigned],
  ['double', 'double_to_double', '(double) double', same],
  ['double', 'int64_to_double', '(int) double', (value: Int) => new Double(Number(value))],
  ['double', 'uint64_to_double', '(uint) double', ({ value }: Uint) => new Double(Number(value))],
  ['double', 'string_to_double', '(string) double', parseDouble],
  ['bool', 'bool_to_bool', '(bool) bool', same],
  ['bool', 'string_to_bool', '(string) bool', parseBoolean],
  ['bytes', 'bytes_to_bytes', '(bytes) bytes', same],
  ['bytes', 'string_to_bytes', '(string) bytes', (text: string) => Uint8Array.from(Buffer.from(text))],
  ['string', 'string_to_string', '(string) string', same],
  ['string', 'bool_to_string', '(bool) string', String],
  ['string', 'int64_to_string', '(int) string', String],
  ['string', 'uint64_to_string', '(uint) string', ({ value }: Uint) => value.toString()],
  ['string', 'double_to_string', '(double) string', ({ value }: Double) => formatDouble(value)],
  ['string', 'bytes_to_string', '(bytes) string', decodeUtf8],
  ['string', 'timestamp_to_string', '(timestamp) string', formatTimestamp],
  ['string', 'duration_to_string', '(duration) string', formatCelDuration],
  ['timestamp', 'timestamp_to_timestamp', '(timestamp) timestamp', same],
  ['timestamp', 'string_to_timestamp', '(string) timestamp', toTimestamp],
  ['timestamp', 'int64_to_timestamp', '(int) timestamp', (value: Int) => new Timestamp(BigInt(value) * 1_000_000_000n)],
  ['duration', 'duration_to_duration', '(duration) duration', same],
  ['duration', 'string_to_duration', '(string) duration', toDuration],
  ['duration', 'int64_to_duration', '(int) duration', (value: Int) => new Duration(BigInt(value))],
];

/** Conversions between the types of the CEL specification. */
export const conversionsLibrary = functionTable(rows);
