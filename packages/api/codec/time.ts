import { DecodeError } from './decode-error.ts';

const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
const canonicalTime = /^\d{4}-(?:0\d|1[0-2])-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const layouts = { time: '2006-01-02T15:04:05Z07:00', microtime: '2006-01-02T15:04:05.000000Z07:00' };
/** Go's zero time, which JSON shows as null. */
const zeroTime = '0001-01-01T00:00:00Z';

export interface Timestamp {
  /** Since 1970; whole. */
  readonly seconds: number;
  /** Of the second, 0 … 999,999,999. */
  readonly nanos: number;
}

/** RFC 3339 → UTC in whole seconds; undefined for Go's zero time. Throws DecodeError as Go's time.Parse words it. */
export function canonicalTimeText(text: string): string | undefined {
  if (canonicalTime.test(text)) return text === zeroTime ? undefined : text;
  const canonical = timeTextOf(parseTimestamp(text, 'time'));
  return canonical === zeroTime ? undefined : canonical;
}

/** RFC 3339 with exactly six digits of a second → the same in UTC; undefined for Go's zero time. */
export function canonicalMicroTimeText(text: string): string | undefined {
  const timestamp = parseTimestamp(text, 'microtime');
  return timestamp.nanos === 0 && timeTextOf(timestamp) === zeroTime ? undefined : microTimeTextOf(timestamp);
}

export function parseTimestamp(text: string, type: 'time' | 'microtime'): Timestamp {
  const match = pattern.exec(text);
  if (!match) throw badTime(text, type);
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  if (type === 'microtime' && fraction.length !== 6) throw badTime(text, type);
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as Parts;
  if (mo < 1 || mo > 12) throw outOfRange(text, 'month');
  if (d < 1 || d > daysIn(y, mo)) throw outOfRange(text, 'day');
  if (h > 23) throw outOfRange(text, 'hour');
  if (mi > 59) throw outOfRange(text, 'minute');
  if (s > 59) throw outOfRange(text, 'second');
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s);
  return { seconds: date.getTime() / 1000 - offsetSeconds(zone), nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) };
}

export function timeTextOf({ seconds }: Timestamp): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
}

export function microTimeTextOf({ seconds, nanos }: Timestamp): string {
  const micros = String(Math.trunc(nanos / 1000)).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${micros}Z`;
}

type Parts = [number, number, number, number, number, number];

function offsetSeconds(zone: string): number {
  if (zone === 'Z') return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

function outOfRange(text: string, what: string): DecodeError {
  return new DecodeError(`parsing time ${JSON.stringify(text)}: ${what} out of range`);
}

/** Go names the first part of the layout that the text does not follow, and the rest of the text there. */
function badTime(text: string, type: 'time' | 'microtime'): DecodeError {
  const parts: readonly [RegExp, string][] = [
    [/^\d{4}/, '2006'],
    [/^-/, '-'],
    [/^\d\d/, '01'],
    [/^-/, '-'],
    [/^\d\d/, '02'],
    [/^T/, 'T'],
    [/^\d\d/, '15'],
    [/^:/, ':'],
    [/^\d\d/, '04'],
    [/^:/, ':'],
    [/^\d\d/, '05'],
    type === 'microtime' ? [/^[.,]\d{6}(?!\d)/, '.000000'] : [/^(?:[.,]\d+)?/, ''],
    [/^(?:Z|[+-]\d\d:\d\d)/, 'Z07:00'],
  ];
  let rest = text;
  for (const [expected, layout] of parts) {
    const match = expected.exec(rest);
    if (!match) return parseFailure(text, layouts[type], `: cannot parse ${JSON.stringify(rest)} as "${layout}"`);
    rest = rest.slice(match[0].length);
  }
  return new DecodeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
}

function parseFailure(text: string, layout: string, why: string): DecodeError {
  return new DecodeError(`parsing time ${JSON.stringify(text)} as "${layout}"${why}`);
}
