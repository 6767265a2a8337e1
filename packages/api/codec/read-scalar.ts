import { canonicalQuantity, shortestInteger } from '@kubernode/machinery';
import type { ScalarType } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { durationNanoseconds, durationText } from './duration.ts';
import { numberOf } from './parse-json.ts';
import { canonicalMicroTimeText, canonicalTimeText } from './time.ts';

/** Takes a scalar out of JSON in its canonical form, undefined for Go's zero time. Throws DecodeError. */
export type ReadScalar = (value: unknown) => unknown;

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
  int32: integer('int32', -(2n ** 31n), 2n ** 31n - 1n),
  int64: integer('int64', -(2n ** 63n), 2n ** 63n - 1n),
  uint32: integer('uint32', 0n, 2n ** 32n - 1n),
  uint64: integer('uint64', 0n, 2n ** 64n - 1n),
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

/** Of those that a number holds exactly the bounds are numbers, too, which are compared faster. */
function integer(goType: string, min: bigint, max: bigint): ReadScalar {
  const numberMin = Math.max(Number(min), Number.MIN_SAFE_INTEGER);
  const numberMax = Math.min(Number(max), Number.MAX_SAFE_INTEGER);
  return (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= numberMin && value <= numberMax) {
      return value === 0 ? 0 : value;
    }
    // A double beyond the safe integers is one that YAML or a patch calculated; bodies of JSON have bigints there.
    const exact = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof exact !== 'bigint' || exact < min || exact > max) throw DecodeError.mismatch(value, goType);
    return shortestInteger(exact);
  };
}

function float(goType: string): ReadScalar {
  return (value) => {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (typeof value === 'symbol') return numberOf(value);
    throw DecodeError.mismatch(value, goType);
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
  const written = typeof value === 'symbol' ? value.description : value;
  if (typeof written !== 'string' && typeof written !== 'number' && typeof written !== 'bigint') throw badQuantity();
  try {
    return canonicalQuantity(String(written).trim());
  } catch {
    throw badQuantity();
  }
}

/** `1024Mi` is `1Gi`, and more digits than three may be. */
const overflowsSuffix = (value: string) => (value.endsWith('i') ? value.length > 5 : value.endsWith('000'));

const badQuantity = () => new DecodeError(`quantities must match the regular expression '${quantityPattern}'`);
