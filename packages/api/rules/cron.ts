const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const macros = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

interface Part {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const parts: readonly Part[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

/** What is wrong with a schedule of five fields, or a word such as @daily; undefined if nothing. */
export function scheduleError(text: string): string | undefined {
  const schedule = text.replace(/^(CRON_)?TZ=\S+\s+/, '').trim();
  if (schedule.startsWith('@every '))
    return /^@every (\d+(\.\d+)?(ns|us|\u00b5s|ms|s|m|h))+$/.test(schedule)
      ? undefined
      : `failed to parse duration ${schedule}`;
  if (schedule.startsWith('@')) return macros.has(schedule) ? undefined : `unrecognized descriptor: ${schedule}`;
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== parts.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, field] of fields.entries()) {
    for (const range of field.split(',')) {
      const error = rangeError(range, parts[index] as Part);
      if (error) return error;
    }
  }
  return undefined;
}

/** `*`, `?`, `5`, `1-5`, each with an optional step. */
function rangeError(text: string, { min, max, names = [] }: Part): string | undefined {
  const [span = '', step, ...more] = text.split('/');
  if (more.length > 0) return `too many slashes: ${text}`;
  if (step !== undefined && !/^\d+$/.test(step)) return `failed to parse int from ${step}`;
  if (step !== undefined && Number(step) === 0) return `step of range should be a positive number: ${text}`;
  if (span === '*' || span === '?') return undefined;
  const ends = span.split('-');
  if (ends.length > 2) return `too many hyphens: ${text}`;
  const numbers = ends.map((end) => {
    const named = names.indexOf(end.toLowerCase());
    if (named >= 0) return named + min;
    return /^\d+$/.test(end) ? Number(end) : Number.NaN;
  });
  const [first = Number.NaN, last = first] = numbers;
  if (numbers.some(Number.isNaN)) return `failed to parse int from ${span}`;
  if (first < min) return `beginning of range (${first}) below minimum (${min}): ${text}`;
  if (last > max) return `end of range (${last}) above maximum (${max}): ${text}`;
  return first > last ? `beginning of range (${first}) beyond end of range (${last}): ${text}` : undefined;
}
