import { sleep, type Clock } from '@kubernode/machinery';
import type { InFlight } from './http/in-flight.ts';
import type { RequestLimits } from './request-limits.ts';
import type { ServerRequest, ServerResponse } from './request.ts';
import type { Watcher } from './storage/watcher.ts';

/** How far a server is on its way to its end; upstream's lifecycle signals. */
export class Shutdown {
  /** /readyz fails from here on. */
  isInitiated = false;
  /** Who comes now is told to come back. */
  isRefusing = false;

  refuses({ path, headers }: ServerRequest): boolean {
    if (!this.isRefusing) return false;
    return !exemptPaths.some((prefix) => path.startsWith(prefix)) && !headers['user-agent']?.startsWith(ownAgent);
  }
}

/** What is told to those whom a server refuses on its way to its end. */
export const shuttingDown: ServerResponse = {
  code: 429,
  headers: { 'retry-after': '5', 'x-content-type-options': 'nosniff' },
  content: {
    type: 'bytes',
    contentType: 'text/plain; charset=utf-8',
    bytes: 'The apiserver is shutting down, please try again later.\n',
  },
};

const exemptPaths = ['/readyz', '/livez', '/healthz', '/metrics'];
const ownAgent = 'kube-apiserver/';
/** Watches are ended in so many steps. */
const watchStepsMax = 20;

interface Drained {
  readonly clock: Clock;
  readonly limits: RequestLimits;
  readonly shutdown: Shutdown;
  readonly inFlight: InFlight;
  readonly watchers: () => readonly Watcher[];
  /** New connections are not accepted any more. */
  readonly stopAccepting: () => void;
}

/**
 * Ends what a server does for others, in upstream's order: not ready, then the delay, then no new requests, then those
 * under way to their end, then the watches. Resolves when all is done, or as late as a request may take.
 */
export async function drain({ clock, limits, shutdown, inFlight, watchers, stopAccepting }: Drained): Promise<void> {
  shutdown.isInitiated = true;
  if (limits.shutdownDelayMs > 0) await sleep(clock, limits.shutdownDelayMs);
  if (limits.shutdownSendsRetryAfter) shutdown.isRefusing = true;
  else stopAccepting();
  let cancel: (() => void) | undefined;
  const timeUp = new Promise<void>((resolve) => (cancel = clock.after(limits.requestTimeoutMs, resolve)));
  await Promise.race([inFlight.drained(), timeUp]);
  cancel?.();
  // Nobody waits for what comes now on connections that were there: it is not begun.
  shutdown.isRefusing = true;
  await endWatches(clock, limits.shutdownWatchGraceMs, watchers());
}

/** One after the other, so that not all clients come back at once. */
async function endWatches(clock: Clock, graceMs: number, watchers: readonly Watcher[]): Promise<void> {
  if (graceMs <= 0 || watchers.length === 0) return;
  const steps = Math.min(watchStepsMax, watchers.length);
  for (let step = 0; step < steps; step += 1) {
    const from = Math.floor((step * watchers.length) / steps);
    const to = Math.floor(((step + 1) * watchers.length) / steps);
    for (const watcher of watchers.slice(from, to)) watcher.end();
    await sleep(clock, graceMs / steps);
  }
}
