import { formatDuration, sleep, type Clock } from '@kubernode/machinery';
import type { Destination } from './destination.ts';
import { failedAnswer, OutboundError } from './failure.ts';
import type { Outbound } from './outbound.ts';

export interface ReviewOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Before the second attempt; default half a second. */
  readonly firstWaitMs?: number | undefined;
}

/** Upstream's DefaultRetryBackoff: five attempts, half a second apart, each wait one and a half times as long. */
const attemptsMax = 5;
const defaultFirstWaitMs = 500;
const waitFactor = 1.5;

/**
 * Posts a review (TokenReview, SubjectAccessReview) to a webhook, and again while it cannot be reached or says that it is
 * busy. Rejects with what Go's client would say.
 */
export async function postReview<T>(to: Destination, review: object, options: ReviewOptions): Promise<T> {
  for (let attempt = 1, waitMs = options.firstWaitMs ?? defaultFirstWaitMs; ; attempt++, waitMs *= waitFactor) {
    try {
      const { timeoutMs } = options;
      const query = { timeout: formatDuration(timeoutMs) };
      const { status, headers, body } = await options.outbound.post(to, review, { timeoutMs, query });
      const text = Buffer.from(body).toString('utf8');
      if (status >= 200 && status <= 206) return JSON.parse(text) as T;
      const isBusy = busyAnswers.has(status) || headers['retry-after'] !== undefined;
      throw Object.assign(failedAnswer(status, headers, text), { isBusy });
    } catch (error) {
      const isReset =
        error instanceof OutboundError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
      const isWorthMore = isReset || (error as Busy).isBusy === true;
      if (attempt >= attemptsMax || !isWorthMore) throw error;
      await sleep(options.clock, waitMs);
    }
  }
}

const busyAnswers: ReadonlySet<number> = new Set([429, 500, 504]);

interface Busy {
  readonly isBusy?: boolean;
}
