import { BoundedMap } from '../../bounded-map.ts';
import { CelError } from '../errors.ts';
import { work } from '../work.ts';
import { Duration, Timestamp } from '../values.ts';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 time; undefined when the text is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const isReal =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  if (!isReal) return undefined;
  const nanoseconds = BigInt(date.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  return new Timestamp(nanoseconds - BigInt(offsetMinutes(zone)) * 60_000_000_000n);
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = '0', minutes = '0'] = zone.slice(1).split(':');
  return (zone.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** RFC 3339 in UTC, with as many digits of a second as there are. */
export function formatTimestamp(time: Timestamp): string {
  const fraction = ((time.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = (time.nanoseconds - fraction) / 1_000_000_000n;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const digits = fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`;
  return `${text}${digits}Z`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const durationPattern = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+|0)$/;
/** Ten times what any duration needs: longer ones are none, whatever digits they have. */
const durationCharactersMax = 1024;

/** Reads a duration as Go writes it (`1h30m`, `-1.5s`); undefined when the text is none. */
export function parseCelDuration(text: string): Duration | undefined {
  const match = text.length > durationCharactersMax ? null : durationPattern.exec(text);
  if (match === null) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (match[2] ?? '').matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|[smh])/g,
  )) {
    const scale = units[unit] ?? 0n;
    total += BigInt(whole === '' ? '0' : whole) * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return new Duration(match[1] === '-' ? -total : total);
}

/** A duration in seconds, as `string(duration)` has it. */
export function formatCelDuration(duration: Duration): string {
  const negative = duration.nanoseconds < 0n;
  const absolute = negative ? -duration.nanoseconds : duration.nanoseconds;
  const fraction = (absolute % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${absolute / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The fields of a time in a zone (`UTC`, `+02:00`, `Europe/Berlin`). Throws `CelError` for an unknown zone. */
export function zonedFields(time: Timestamp, zone: string): Date {
  const milliseconds = Number(floorDivide(time.nanoseconds, 1_000_000n));
  if (zone === '' || zone === 'UTC') return new Date(milliseconds);
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(milliseconds + (fixed[1] === '-' ? -minutes : minutes) * 60_000);
  }
  return new Date(milliseconds + zoneOffsetMs(milliseconds, zone));
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

const formats = new BoundedMap<string, Intl.DateTimeFormat>(64);

/** Throws `CelError` for an unknown zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  // As much as 200 µs take.
  work(10_000);
  try {
    const time = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    const options = { ...time, timeZone: zone, hourCycle: 'h23', second: 'numeric', era: 'short' } as const;
    const format = new Intl.DateTimeFormat('en-US', options);
    formats.set(zone, format);
    return format;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function zoneOffsetMs(milliseconds: number, zone: string): number {
  // As much as 10 µs take.
  work(500);
  const parts = formatOf(zone).formatToParts(milliseconds);
  const part = (type: string): number => Number(parts.find((found) => found.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(milliseconds / 1000) * 1000;
}
