import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueAt, isTimeZone, parseSchedule, zonedTime } from './schedule.ts';

const cases: readonly [schedule: string, timeZone: string, after: string, next: readonly string[]][] = [
  ['* * * * *', 'UTC', '2026-01-01T00:00:30Z', ['2026-01-01T00:01:00.000Z', '2026-01-01T00:02:00.000Z']],
  ['@hourly', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-01T01:00:00.000Z']],
  ['@every 90m', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-01T01:30:00.000Z', '2026-01-01T03:00:00.000Z']],
  ['0 0 1 1 *', 'Europe/Paris', '2026-01-01T00:00:00Z', ['2026-12-31T23:00:00.000Z']],
  // Day of the month or day of the week.
  ['0 0 13 * 5', 'UTC', '2026-01-03T00:00:00Z', ['2026-01-09T00:00:00.000Z', '2026-01-13T00:00:00.000Z']],
  // 02:30 does not exist on 8 March.
  ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', ['2026-03-09T06:30:00.000Z']],
  // 01:30 comes twice on 1 November.
  [
    '30 1 * * *',
    'America/New_York',
    '2026-10-31T12:00:00Z',
    ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z', '2026-11-02T06:30:00.000Z'],
  ],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00.000Z']],
];

for (const [schedule, timeZone, after, expected] of cases) {
  test(`parseSchedule tells the next times of ${schedule} in ${timeZone}`, () => {
    const parsed = parseSchedule(schedule, timeZone);
    let at: number | undefined = Date.parse(after);
    for (const time of expected) {
      at = parsed.next(at ?? 0);
      assert.equal(at && new Date(at).toISOString(), time);
    }
  });
}

test('parseSchedule refuses what has not five fields', () => {
  assert.throws(() => parseSchedule('* * * * * *'), /expected exactly 5 fields, found 6/);
  assert.throws(() => parseSchedule('61 * * * *'));
});

const at = (text: string) => Date.parse(`2026-01-01T${text}Z`);
const dues: readonly [name: string, since: string, now: string, missed: string | undefined, isTooMany: boolean][] = [
  ['nothing yet', '00:00:30', '00:00:59', undefined, false],
  ['one', '00:00:30', '00:01:05', '00:01:00', false],
  ['the last of three', '00:00:30', '00:03:05', '00:03:00', false],
  ['the last of many', '00:00:30', '04:00:30', '04:00:00', true],
];

for (const [name, since, now, missed, isTooMany] of dues) {
  test(`dueAt tells what was missed: ${name}`, () => {
    const due = dueAt(parseSchedule('* * * * *'), at(since), at(now));
    assert.deepEqual(due, { missedMs: missed === undefined ? undefined : at(missed), isTooMany });
  });
}

test('dueAt finds the last time of an uneven schedule', () => {
  const due = dueAt(
    parseSchedule('0,1 0 1 * *'),
    Date.parse('2025-01-01T00:00:30Z'),
    Date.parse('2026-03-15T00:00:00Z'),
  );
  assert.equal(new Date(due.missedMs ?? 0).toISOString(), '2026-03-01T00:01:00.000Z');
});

test('isTimeZone knows the names of the tz database', () => {
  assert.deepEqual(['UTC', 'Europe/Paris', 'Mars/Olympus'].map(isTimeZone), [true, true, false]);
});

test('zonedTime writes the offset of the time zone', () => {
  const summerMs = Date.parse('2026-07-01T12:00:00Z');
  assert.equal(zonedTime(summerMs), '2026-07-01T12:00:00Z');
  assert.equal(zonedTime(summerMs, 'America/New_York'), '2026-07-01T08:00:00-04:00');
  assert.equal(zonedTime(summerMs, 'Asia/Kolkata'), '2026-07-01T17:30:00+05:30');
});
