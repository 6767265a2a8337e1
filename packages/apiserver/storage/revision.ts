import { StatusError } from '@kubernode/api';
import type { WatchCache } from './watch-cache.ts';

/** A reader waits this long for a revision that is not there yet (upstream's blockTimeout). */
const futureWaitMs = 3_000;

/** The number in a resourceVersion; undefined for none, 0 for "any". Throws BadRequest for anything else. */
export function parseRevision(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  if (!/^\d{1,19}$/.test(text)) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw StatusError.badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`,
    );
  }
  return Number(text);
}

/** Waits until the cache is at least as new as `text` says. Throws Timeout where that takes too long. */
export async function minimumRevision(cache: WatchCache, text: string | null | undefined): Promise<void> {
  const wanted = parseRevision(text);
  if (wanted === undefined || wanted <= cache.revision) return;
  if (await cache.reachedWithin(wanted, futureWaitMs)) return;
  throw tooLargeRevision(wanted, cache.revision);
}

export function tooLargeRevision(wanted: number, current: number): StatusError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  return StatusError.of('Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
