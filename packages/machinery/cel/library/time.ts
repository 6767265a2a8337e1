import { functionTable, type OverloadRow } from '../function.ts';
import { zonedFields } from '../evaluate/time-text.ts';
import { toInt, type Duration, type Timestamp } from '../values.ts';

const dayOfYear = (date: Date): number => {
  const year = date.getUTCFullYear();
  return (Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)) / 86_400_000;
};

const nanosecondsOf = (time: Timestamp): number =>
  Number(((time.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);

/** The accessors of a time, by upstream's overload names. */
const accessors: Readonly<Record<string, readonly [id: string, read: (date: Date, time: Timestamp) => number]>> = {
  getFullYear: ['year', (date) => date.getUTCFullYear()],
  getMonth: ['month', (date) => date.getUTCMonth()],
  getDayOfYear: ['day_of_year', dayOfYear],
  getDayOfMonth: ['day_of_month', (date) => date.getUTCDate() - 1],
  getDate: ['day_of_month_1_based', (date) => date.getUTCDate()],
  getDayOfWeek: ['day_of_week', (date) => date.getUTCDay()],
  getHours: ['hours', (date) => date.getUTCHours()],
  getMinutes: ['minutes', (date) => date.getUTCMinutes()],
  getSeconds: ['seconds', (date) => date.getUTCSeconds()],
  getMilliseconds: ['milliseconds', (_date, time) => Math.floor(nanosecondsOf(time) / 1_000_000)],
};

const ofTimestamps = Object.entries(accessors).flatMap(([name, [id, read]]): OverloadRow[] => [
  [name, `timestamp_to_${id}`, 'timestamp.() int', (time: Timestamp) => read(zonedFields(time, 'UTC'), time)],
  [
    name,
    `timestamp_to_${id}_with_tz`,
    'timestamp.(string) int',
    (time: Timestamp, zone: string) => read(zonedFields(time, zone), time),
  ],
]);

/** A duration in whole units; its milliseconds are those beyond its whole seconds. */
const ofDurations: readonly OverloadRow[] = [
  [
    'getHours',
    'duration_to_hours',
    'duration.() int',
    (time: Duration) => toInt(time.nanoseconds / 3_600_000_000_000n),
  ],
  [
    'getMinutes',
    'duration_to_minutes',
    'duration.() int',
    (time: Duration) => toInt(time.nanoseconds / 60_000_000_000n),
  ],
  [
    'getSeconds',
    'duration_to_seconds',
    'duration.() int',
    (time: Duration) => toInt(time.nanoseconds / 1_000_000_000n),
  ],
  [
    'getMilliseconds',
    'duration_to_milliseconds',
    'duration.() int',
    (time: Duration) => toInt((time.nanoseconds % 1_000_000_000n) / 1_000_000n),
  ],
];

/** Accessors of timestamps and durations. */
export const timeLibrary = functionTable([...ofTimestamps, ...ofDurations]);
