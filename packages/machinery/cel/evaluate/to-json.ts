import { shortestInteger } from '../../json-integers.ts';
import { CelError } from '../errors.ts';
import { work } from '../work.ts';
import { formatCelDuration, formatTimestamp } from './time-text.ts';
import { CelMap, Double, Duration, Timestamp, Uint, valueType, type CelValue } from '../values.ts';

/**
 * A value of an expression as JSON, as protobuf's Value has it: bytes in base64, times and durations as text. Throws
 * `CelError` for keys that are no strings and values that have no JSON.
 */
export function toJson(value: CelValue): unknown {
  work(2);
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (typeof value === 'bigint') return value;
  if (Array.isArray(value)) return value.map((element: CelValue) => toJson(element));
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return shortestInteger(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatCelDuration(value);
  if (value instanceof CelMap) return entriesToJson(value.entries());
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) {
    return entriesToJson(Object.entries(value as { readonly [key: string]: CelValue }));
  }
  throw new CelError(`unsupported type conversion from '${valueType(value)}' to JSON`);
}

function entriesToJson(entries: Iterable<readonly [CelValue, CelValue]>): unknown {
  const object: Record<string, unknown> = {};
  for (const [key, held] of entries) {
    if (typeof key !== 'string') throw new CelError(`a map key is of type ${valueType(key)}, not string`);
    Object.defineProperty(object, key, { value: toJson(held), enumerable: true, writable: true, configurable: true });
  }
  return object;
}
