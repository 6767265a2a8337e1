import { table } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';

const unitNanoseconds: Readonly<Record<string, bigint>> = table({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
});
/** Far more than any duration needs: digits beyond are costly to read. */
const charactersMax = 1024;
const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Go's notation → nanoseconds. Throws DecodeError as Go's time.ParseDuration words it. */
export function durationNanoseconds(text: string): bigint {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (text.length > charactersMax) throw invalid(text);
  let total = 0n;
  part.lastIndex = 0;
  while (part.lastIndex < rest.length) {
    const match = part.exec(rest);
    const [, whole = '', fraction = '', unit = ''] = match ?? [];
    if (!match || whole + fraction === '') throw invalid(text);
    const scale = unitNanoseconds[unit] ?? 0n;
    total += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  if (rest === '' || total > 2n ** 63n - 1n) throw invalid(text);
  return sign === '-' ? -total : total;
}

/** Nanoseconds → Go's notation: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1_000n)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 1_000_000n)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return digits ? `${value / unit}.${digits}` : String(value / unit);
}

const invalid = (text: string) => new DecodeError(`time: invalid duration ${JSON.stringify(text)}`);
