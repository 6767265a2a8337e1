let lastSecond = NaN;
let lastText = '';

/** A time as objects carry it: RFC 3339, UTC, whole seconds (cut, not rounded). Most calls ask for the present second. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** A time of Leases and Events: RFC 3339, UTC, six digits of a second. */
export function formatMicroTime(ms: number): string {
  const micros = Math.floor((ms - Math.floor(ms)) * 1000);
  return `${new Date(Math.floor(ms)).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** RFC 3339 with any offset and precision, as milliseconds since the epoch; undefined for anything else. */
export function parseTime(text: string | undefined | null): number | undefined {
  if (!text || !rfc3339.test(text)) return undefined;
  const ms = Date.parse(text.replace(',', '.'));
  if (Number.isNaN(ms)) return undefined;
  // Date.parse rolls February 30 over into March.
  const day = Number(text.slice(8, 10));
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return day <= daysInMonth ? ms : undefined;
}
