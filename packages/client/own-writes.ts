import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { Client, Target } from './client.ts';
import type { Informer } from './informer.ts';

/** After so long a write counts as seen: better a reconciliation on old news than none at all (upstream: 5 minutes). */
const waitMaxMs = 5 * 60_000;

/**
 * What one key has written and its informers have not shown yet. Revisions of all resources come from one counter
 * (KEP-5504), so "seen" is a comparison; for a deletion, whose answer may carry none, it is the object's absence or
 * its deletionTimestamp.
 */
export class OwnWrites {
  readonly #informerOf: (kind: Kind<unknown>) => Informer<unknown> | undefined;
  readonly #clock: Clock;
  #startedMs = 0;
  /** By kind: the newest revision written. */
  readonly #versions = new Map<Informer<unknown>, number>();
  readonly #deletions: { readonly informer: Informer<unknown>; readonly target: Target; readonly uid: string }[] = [];

  constructor(informerOf: (kind: Kind<unknown>) => Informer<unknown> | undefined, clock: Clock) {
    this.#informerOf = informerOf;
    this.#clock = clock;
  }

  /** Whether all of it shows. */
  get seen(): boolean {
    if (this.#clock.now() - this.#startedMs > waitMaxMs) return true;
    for (const [informer, version] of this.#versions) if (informer.resourceVersion < version) return false;
    return this.#deletions.every(isGone);
  }

  /** Resolves when something that is waited for shows (ask `seen` again); to false once an informer is stopped. */
  async progress(): Promise<boolean> {
    const waits: Promise<void>[] = [];
    for (const [informer, version] of this.#versions) {
      if (informer.resourceVersion < version) waits.push(informer.seen(version));
    }
    for (const deletion of this.#deletions) {
      if (!isGone(deletion)) waits.push(deletion.informer.seen(deletion.informer.resourceVersion + 1));
    }
    let cancel = () => {};
    const timeout = new Promise<void>((resolve) => (cancel = this.#clock.after(waitMaxMs, resolve)));
    try {
      await Promise.race([...waits, timeout]);
      return true;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }

  /** `client`, remembering what is written through it. */
  track(client: Client): Client {
    const remember = <T>(kind: Kind<T>, answer: T): T => {
      this.#wrote(kind, answer);
      return answer;
    };
    return {
      ...client,
      create: async (kind, object, options) => remember(kind, await client.create(kind, object, options)),
      update: async (kind, object, options) => remember(kind, await client.update(kind, object, options)),
      updateStatus: async (kind, object, options) => remember(kind, await client.updateStatus(kind, object, options)),
      patch: async (kind, target, patch, options) => remember(kind, await client.patch(kind, target, patch, options)),
      delete: async (kind, target, options) => {
        // Read first: the deletion may show before its answer is here.
        const uid = this.#uidOf(kind, target);
        try {
          await client.delete(kind, target, options);
          this.#deleted(kind, target, uid);
        } catch (error) {
          if (isReason(error, 'NotFound')) this.#deleted(kind, target, uid);
          throw error;
        }
      },
    };
  }

  #wrote(kind: Kind<unknown>, answer: unknown): void {
    const informer = this.#informerOf(kind);
    const version = Number((answer as KubernetesObject).metadata?.resourceVersion);
    if (!informer || !version || version <= informer.resourceVersion) return;
    this.#startedMs = this.#clock.now();
    this.#versions.set(informer, Math.max(version, this.#versions.get(informer) ?? 0));
  }

  #uidOf(kind: Kind<unknown>, { name, namespace }: Target): string | undefined {
    return (this.#informerOf(kind)?.get(name, namespace) as KubernetesObject | undefined)?.metadata.uid;
  }

  #deleted(kind: Kind<unknown>, target: Target, uid: string | undefined): void {
    const informer = this.#informerOf(kind);
    if (!informer || uid === undefined) return;
    this.#startedMs = this.#clock.now();
    this.#deletions.push({ informer, target, uid });
  }
}

function isGone({
  informer,
  target,
  uid,
}: {
  readonly informer: Informer<unknown>;
  readonly target: Target;
  readonly uid: string;
}): boolean {
  const object = informer.get(target.name, target.namespace) as KubernetesObject | undefined;
  return !object || object.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined;
}
