import { formatTime, parseDuration } from '@kubernode/machinery';
import { Cron } from 'croner';

/** When a cron job is due. */
export interface Schedule {
  /** The first time after `afterMs`; undefined if there is none. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads a schedule of five fields, a name such as `@hourly`, or `@every 90m`, in a time zone of the tz database
 * (default UTC). Throws with the reason where it cannot be read.
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const every = /^@every\s+(\S.*)$/.exec(text.trim());
  if (every) return everySoOften(parseDuration(every[1] ?? ''));
  const fields = text.trim().split(/\s+/);
  if (!text.startsWith('@') && fields.length !== 5) {
    throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const cron = new Cron(text.trim(), { timezone: timeZone, paused: true });
  const offsetAt = offsetsOf(timeZone);
  return {
    next(afterMs) {
      let at = cron.nextRun(new Date(afterMs));
      // A time that the clock skips in spring does not come that day, as upstream's library has it.
      while (at && !cron.match(at)) at = cron.nextRun(at);
      const untilMs = Math.min(at?.getTime() ?? Infinity, afterMs + turnBackMs);
      // One that it repeats in autumn comes twice.
      const isTurningBack = offsetAt(afterMs) > offsetAt(afterMs + turnBackMs);
      return (isTurningBack ? firstMinute(cron, afterMs, untilMs) : undefined) ?? at?.getTime();
    },
  };
}

/** A clock that is put back repeats a time within so long. */
const turnBackMs = 3 * 3_600_000;
const minuteMs = 60_000;

function firstMinute(cron: Cron, afterMs: number, beforeMs: number): number | undefined {
  for (let at = afterMs - (afterMs % minuteMs) + minuteMs; at < beforeMs; at += minuteMs) {
    if (cron.match(new Date(at))) return at;
  }
  return undefined;
}

/** Minutes that local time is ahead of UTC. */
function offsetsOf(timeZone: string): (timeMs: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (timeMs) => {
    const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  };
}

/** RFC 3339 with the offset of the time zone. */
export function zonedTime(timeMs: number, timeZone = 'UTC'): string {
  const offset = offsetsOf(timeZone)(timeMs);
  const digits = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(offset);
  const suffix = `${offset < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
  return formatTime(timeMs + offset * minuteMs).replace('Z', offset === 0 ? 'Z' : suffix);
}

/** Whole seconds, at least one. */
function everySoOften(intervalMs: number): Schedule {
  const stepMs = Math.max(1000, intervalMs - (intervalMs % 1000));
  return { next: (afterMs) => afterMs - (afterMs % 1000) + stepMs };
}

export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

export interface Due {
  /** The last time that was missed, not counting those before; undefined if none was. */
  readonly missedMs: number | undefined;
  /** More than a hundred were missed: perhaps the clock jumped. */
  readonly isTooMany: boolean;
}

const manyMax = 100;

/** What is due between `sinceMs` and now. Steps over long pauses by the schedule's own rhythm. */
export function dueAt(schedule: Schedule, sinceMs: number, nowMs: number): Due {
  const first = schedule.next(sinceMs);
  if (first === undefined || first > nowMs) return { missedMs: undefined, isTooMany: false };
  const second = schedule.next(first);
  if (second === undefined || second > nowMs) return { missedMs: first, isTooMany: false };
  const rhythmMs = second - first;
  const isTooMany = (nowMs - first) / rhythmMs > manyMax;
  // From shortly before now on; further back where the schedule has long gaps.
  let from = isTooMany ? Math.max(first, nowMs - 10 * rhythmMs) : first;
  let missedMs = lastBetween(schedule, from, nowMs);
  while (missedMs === undefined && from > first) {
    from = Math.max(first, from - 2 * (nowMs - from));
    missedMs = lastBetween(schedule, from, nowMs);
  }
  return { missedMs: missedMs ?? first, isTooMany };
}

function lastBetween(schedule: Schedule, fromMs: number, nowMs: number): number | undefined {
  let last: number | undefined;
  for (let at = schedule.next(fromMs); at !== undefined && at <= nowMs; at = schedule.next(at)) last = at;
  return last;
}
