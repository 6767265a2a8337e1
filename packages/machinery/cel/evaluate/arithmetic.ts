import { CelError, noSuchOverload } from '../errors.ts';
import { work } from '../work.ts';
import { adapt, Double, Duration, isList, Timestamp, toInt, toUint, Uint, type CelValue } from '../values.ts';

const isInt = (value: CelValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** `a + b` of any types that add. Throws `CelError` on overflow, or when these do not add. */
export function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : toInt(BigInt(a) + BigInt(b));
  }
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (isInt(a) && isInt(b)) return toInt(BigInt(a) + BigInt(b));
  if (a instanceof Double && b instanceof Double) return new Double(a.value + b.value);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value + b.value);
  if (isList(a) && isList(b)) return addLists(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Uint8Array.from(Buffer.concat([a, b]));
  return addTimes(a, b) ?? addTimes(b, a) ?? fail();
}

const listAdditions = new WeakMap<object, (a: readonly CelValue[], b: readonly CelValue[]) => readonly CelValue[]>();

/** Makes a list add as its schema's list type says. */
export function setListAddition(
  list: readonly CelValue[],
  addition: (a: readonly CelValue[], b: readonly CelValue[]) => readonly CelValue[],
): void {
  listAdditions.set(list, addition);
}

function addLists(a: readonly CelValue[], b: readonly CelValue[]): readonly CelValue[] {
  work((a.length + b.length) / 4);
  return listAdditions.get(a)?.(a, b) ?? [...a, ...b];
}

function addTimes(a: CelValue, b: CelValue): CelValue | undefined {
  if (!(b instanceof Duration)) return undefined;
  if (a instanceof Timestamp) return new Timestamp(a.nanoseconds + b.nanoseconds);
  return a instanceof Duration ? new Duration(a.nanoseconds + b.nanoseconds) : undefined;
}

function fail(): never {
  throw noSuchOverload();
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : toInt(BigInt(a) - BigInt(b));
  }
  if (isInt(a) && isInt(b)) return toInt(BigInt(a) - BigInt(b));
  if (a instanceof Double && b instanceof Double) return new Double(a.value - b.value);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value - b.value);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(a.nanoseconds - b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanoseconds - b.nanoseconds);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanoseconds - b.nanoseconds);
  return fail();
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Adding 0 makes the -0 of a multiplication the 0 that an integer has.
    return Number.isSafeInteger(product) ? product + 0 : toInt(BigInt(a) * BigInt(b));
  }
  if (isInt(a) && isInt(b)) return toInt(BigInt(a) * BigInt(b));
  if (a instanceof Double && b instanceof Double) return new Double(a.value * b.value);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value * b.value);
  return fail();
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (isInt(a) && isInt(b)) {
    if (b == 0) throw new CelError('division by zero');
    if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
    return toInt(BigInt(a) / BigInt(b));
  }
  if (a instanceof Double && b instanceof Double) return new Double(a.value / b.value);
  if (!(a instanceof Uint && b instanceof Uint)) return fail();
  if (b.value === 0n) throw new CelError('division by zero');
  return new Uint(a.value / b.value);
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (isInt(a) && isInt(b)) {
    if (b == 0) throw new CelError('modulus by zero');
    if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
    return toInt(BigInt(a) % BigInt(b));
  }
  if (!(a instanceof Uint && b instanceof Uint)) return fail();
  if (b.value === 0n) throw new CelError('modulus by zero');
  return new Uint(a.value % b.value);
}

export function negate(value: CelValue): CelValue {
  if (typeof value === 'number') return 0 - value;
  if (typeof value === 'bigint') return toInt(-value);
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Duration) return new Duration(-value.nanoseconds);
  return fail();
}

/** The elements of a list as values: fractions of JSON data are boxed. */
export function elements(list: readonly CelValue[]): CelValue[] {
  return list.map(adapt);
}
