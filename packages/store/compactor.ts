import type { Clock, Component, Logger } from '@kubernode/machinery';
import { StoreClosed } from './errors.ts';
import type { Revision, Store } from './store.ts';

export interface CompactorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the past can be read at least, and how often it is forgotten; 0: never. Default 5 minutes. */
  readonly intervalMs?: number | undefined;
  /** Told of the revision before which nothing can be read any more. */
  readonly onCompacted?: (before: Revision) => void;
}

/** Forgets, at every interval, what was the past at the one before. */
export function startCompactor({
  store,
  clock,
  log,
  intervalMs = 5 * 60_000,
  onCompacted,
}: CompactorOptions): Component {
  let stopped = intervalMs === 0;
  let cancel = () => {};
  let running = Promise.resolve();
  let before: Revision = 0;

  const compact = async (): Promise<void> => {
    try {
      const revision = await store.revision();
      if (before > 0) {
        await store.compact(before);
        onCompacted?.(before);
      }
      before = revision;
    } catch (error) {
      // A full disk, for one: the next interval tries again.
      if (!(error instanceof StoreClosed)) log.warn('Compaction failed', { before, error });
    }
    schedule();
  };
  const schedule = (): void => {
    if (stopped) return;
    cancel = clock.after(intervalMs, () => {
      running = compact();
    });
  };

  if (!stopped) running = compact();
  return {
    name: 'store-compactor',
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}
