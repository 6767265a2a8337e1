/** The content type of the text format, as upstream's servers name it. */
export const expositionContentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** The labels of one series, sorted by name as upstream writes them: `a="b",c="d"`. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  return names
    .map((name, index) => `${name}="${escaped(values[index] ?? '')}"`)
    .sort()
    .join(',');
}

/** A number as upstream's text format has it: `0.005`, `42`, `1e+06`, `1.5e-05`. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const absolute = Math.abs(value);
  if (absolute === 0 || (absolute >= 1e-4 && absolute < 1e6)) return String(value);
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const digits = String(Math.abs(Number(power))).padStart(2, '0');
  return `${mantissa}e${Number(power) < 0 ? '-' : '+'}${digits}`;
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
