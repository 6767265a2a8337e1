import { table } from './table.ts';
const unitMs: Readonly<Record<string, number>> = table({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Go's notation, "1h30m", "1.5s", "-300ms", as milliseconds (with a fraction below). Throws with Go's message. */
export function parseDuration(text: string): number {
  const invalid = () => new Error(`time: invalid duration ${JSON.stringify(text)}`);
  const signed = /^[+-]/.test(text);
  const body = signed ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '') throw invalid();
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (!match) {
      if (/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(body))
        throw new Error(`time: missing unit in duration ${JSON.stringify(text)}`);
      throw invalid();
    }
    total += Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0);
  }
  return text.startsWith('-') ? -total : total;
}

/** Milliseconds in Go's notation: 90000 → "1m30s", 1500 → "1.5s", 0 → "0s". */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const nanoseconds = BigInt(Math.round(Math.abs(ms) * 1e6));
  if (nanoseconds < 1000n) return `${sign}${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${sign}${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${sign}${decimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(units: bigint, digits: number): string {
  const text = units.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return fraction ? `${text.slice(0, -digits)}.${fraction}` : text.slice(0, -digits);
}

/** An age as kubectl shows it, two or three figures: "45s", "5m10s", "3h", "2d4h", "400d", "3y20d". */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

const pair = (big: number, bigUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;

/** An age in one figure: "45s", "5m", "3h", "20d", "2y". */
export function shortHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.trunc(seconds / 60)}m`;
  const hours = Math.trunc(seconds / 3600);
  if (hours < 24) return `${hours}h`;
  return hours < 24 * 365 ? `${Math.trunc(hours / 24)}d` : `${Math.trunc(hours / 24 / 365)}y`;
}
