import { canonicalQuantity } from '@kubernode/machinery';
import type { ScalarType } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { durationNanoseconds, durationText } from './duration.ts';
import { canonicalMicroTimeText, canonicalTimeText } from './time.ts';

/** Takes a scalar out of JSON in its canonical form, undefined for Go's zero time. Throws DecodeError. */
export type ReadScalar = (value: unknown) => unknown;

/** The largest double below 2^63: what int64 values that JavaScript cannot hold are cut to. */
const int64Max = 2 ** 63 - 1024;
const quantityPattern = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const plainQuantity = /^[1-9]\d{0,8}(?:[MG]i)?$/;

export const readScalar: Readonly<Record<ScalarType, ReadScalar>> = {
  string(value) {
    if (typeof value !== 'string') throw DecodeError.mismatch(value, 'string');
    return value.isWellFormed() ? value : value.toWellFormed();
  },
  bool(value) {
    if (typeof value !== 'boolean') throw DecodeError.mismatch(value, 'bool');
    return value;
  },
  int32: integer('int32', -(2 ** 31), 2 ** 31 - 1),
  int64: integer('int64', -(2 ** 63), 2 ** 63),
  uint32: integer('uint32', 0, 2 ** 32 - 1),
  uint64: integer('uint64', 0, 2 ** 64),
  float32: float('float32'),
  float64: float('float64'),
  bytes: (value) => base64(value),
  quantity: (value) => quantity(value),
  intOrString(value) {
    if (typeof value === 'string') return value;
    if (!Number.isInteger(value) || (value as number) !== ((value as number) | 0))
      throw DecodeError.mismatch(value, 'int32');
    return value;
  },
  time: (value) => canonicalTimeText(text(value)),
  microtime: (value) => canonicalMicroTimeText(text(value)),
  duration: (value) => durationText(durationNanoseconds(text(value))),
};

function text(value: unknown): string {
  if (typeof value !== 'string') throw DecodeError.mismatch(value, 'string');
  return value;
}

function integer(goType: string, min: number, max: number): ReadScalar {
  const limit = Math.min(max, goType === 'int64' ? int64Max : 2 ** 64 - 2048);
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw DecodeError.mismatch(value, goType);
    }
    return value > limit ? limit : value === 0 ? 0 : value;
  };
}

function float(goType: string): ReadScalar {
  return (value) => {
    if (typeof value !== 'number') throw DecodeError.mismatch(value, goType);
    return value;
  };
}

/** Standard base64; line breaks are let through, as Go does. */
function base64(value: unknown): string {
  if (typeof value !== 'string') throw DecodeError.mismatch(value, '[]uint8');
  const digits = /[\r\n]/.test(value) ? value.replace(/[\r\n]+/g, '') : value;
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    const bad = digits.search(/[^A-Za-z0-9+/]/);
    const position = bad === -1 ? digits.length : digits[bad] === '=' && bad < digits.length - 2 ? bad + 1 : bad;
    throw new DecodeError(`illegal base64 data at input byte ${position}`);
  }
  if (!digits.endsWith('=')) return digits;
  const tail = Buffer.from(digits.slice(-4), 'base64').toString('base64');
  return digits.slice(0, -4) + tail;
}

function quantity(value: unknown): string {
  if (typeof value === 'string' && plainQuantity.test(value) && !overflowsSuffix(value)) return value;
  if (typeof value !== 'string' && typeof value !== 'number') throw badQuantity();
  try {
    return canonicalQuantity(String(value).trim());
  } catch {
    throw badQuantity();
  }
}

/** `1024Mi` is `1Gi`, and more digits than three may be. */
const overflowsSuffix = (value: string) => (value.endsWith('i') ? value.length > 5 : value.endsWith('000'));

const badQuantity = () => new DecodeError(`quantities must match the regular expression '${quantityPattern}'`);
