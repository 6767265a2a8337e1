import { StatusError } from '@kubernode/api';
import type { Logger } from '@kubernode/machinery';
import { boundStore, StoreFailed, StoreMissing, StoreNotWritable, StoreUnusable, type Store } from '@kubernode/store';

/** A store, and how it is. */
export interface GuardedStore extends Store {
  /** Why the last write was not made, and would not be now. */
  readonly problem: () => Error | undefined;
}

/**
 * A store that tells in the words of the API that a write could not be put on the disk: reads go on, and so does the
 * server. The log tells once when that begins, and once when it is over, with the path that clients need not know.
 */
export function guardedStore(store: Store, log: Logger): GuardedStore {
  let problem: Error | undefined;
  const begin = (error: Error) => {
    if (problem?.message !== error.message) log.error('the store cannot be written', { error: error.message });
    problem = error;
  };
  const end = () => {
    log.info('the store can be written again');
    problem = undefined;
  };
  return {
    ...boundStore(store),
    problem: () => problem,
    async write(changes) {
      try {
        const written = await store.write(changes);
        if (problem) end();
        return written;
      } catch (error) {
        const told = statusOf(error);
        if (!told) throw error;
        begin(error as Error);
        throw told;
      }
    },
  };
}

/**
 * Upstream answers 500 with etcd's own words ("mvcc: database space exceeded"). No Retry-After: a client that waits for
 * somebody to make room would wait in silence.
 */
function statusOf(error: unknown): StatusError | undefined {
  const unavailable = (why: string) =>
    StatusError.of('ServiceUnavailable', `the cluster's database cannot be written: ${why}`);
  if (error instanceof StoreNotWritable) return unavailable(error.why);
  if (error instanceof StoreUnusable) return unavailable('it is damaged: stop the server and restore a backup');
  return error instanceof StoreFailed ? unavailable('it has failed: see the log of the API server') : undefined;
}

/** Not a matter of the disk alone: what this server has is not what the next one will find. */
export const isLost = (problem: Error | undefined): boolean =>
  problem instanceof StoreMissing || problem instanceof StoreUnusable || problem instanceof StoreFailed;

/** Only another process can go on. */
export const isBroken = (problem: Error | undefined): boolean => problem instanceof StoreFailed;
