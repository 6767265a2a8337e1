import type { Clock, Component, Logger } from '@kubernode/machinery';
import type { Store } from '@kubernode/store';
import type { ResourceCache } from './resource-cache.ts';

interface ExpiryOptions {
  readonly cache: ResourceCache;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** `--event-ttl`, from the last write. */
  readonly ttlMs: number;
}

/** As late as upstream, whose objects of a minute share one lease of etcd. */
const intervalMsMax = 60_000;
/** Deletions that the store is asked for at a time. */
const deletionsMax = 200;

interface Written {
  readonly revision: number;
  readonly atMs: number;
}

/**
 * Removes the objects of a resource when their time is up, as etcd does with a lease: in the store itself, so without
 * admission, and for who watches as any deletion. What was there before the start counts from what it says of itself.
 */
export function startExpiry({ cache, store, clock, log, ttlMs }: ExpiryOptions): Component {
  /** By key, the oldest first; what was there at the start is added when it is first looked at. */
  let writes = new Map<string, Written>();
  let isComplete = false;
  const unfollow = cache.onChange(({ object: { key }, revision, deleted }) => {
    writes.delete(key);
    if (!deleted) writes.set(key, { revision, atMs: clock.now() });
  });
  const expire = async (): Promise<void> => {
    if (!isComplete) writes = new Map([...writtenBefore(cache, writes, clock.now()), ...writes]);
    isComplete = true;
    const due: [string, Written][] = [];
    for (const [key, written] of writes) {
      if (written.atMs > clock.now() - ttlMs) break;
      due.push([key, written]);
    }
    for (let at = 0; at < due.length; at += deletionsMax) {
      const some = due.slice(at, at + deletionsMax);
      await Promise.all(some.map(([key, { revision }]) => store.write([{ key, expect: revision }])));
    }
  };
  let running = Promise.resolve();
  let cancel = () => {};
  let isStopped = false;
  const arm = (): void => {
    if (isStopped) return;
    cancel = clock.after(Math.min(ttlMs, intervalMsMax), () => {
      running = expire()
        .catch((error: unknown) => log.warn('what has expired could not be removed', { error: String(error) }))
        .then(arm);
    });
  };
  arm();
  return {
    name: 'expiry',
    async stop() {
      isStopped = true;
      unfollow();
      cancel();
      await running;
    },
  };
}

function writtenBefore(
  { objects, prefix }: ResourceCache,
  since: ReadonlyMap<string, Written>,
  nowMs: number,
): [string, Written][] {
  const found: [string, Written][] = [];
  for (const { key, revision, bytes } of objects.from(prefix)) {
    if (!since.has(key)) found.push([key, { revision, atMs: Math.min(nowMs, writtenAtMs(bytes)) }]);
  }
  return found.sort(([, a], [, b]) => a.atMs - b.atMs);
}

/** Of its creation and of those who manage its fields. Annotations may be named so, and say what they like. */
const times = /"(?:creationTimestamp|time)":"([^"]+)"/g;

function writtenAtMs(bytes: Buffer): number {
  const found = [...bytes.toString('latin1').matchAll(times)].map(([, time = '']) => Date.parse(time));
  return Math.max(0, ...found.filter((time) => !Number.isNaN(time)));
}
