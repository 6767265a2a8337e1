import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import type { Clock, Component, Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import type { ControllerDeclaration, ReconcileContext, ReconcileResult, WatchContext } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Informer, InformerFactory } from './informer.ts';
import { keyOf, splitKey } from './keys.ts';
import { OwnWrites } from './own-writes.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

export interface ControllerDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const defaultConcurrency = 5;

/** Starts at once; reconciles once all informers of the declaration have synced. */
export function runController<T>(declaration: ControllerDeclaration<T>, deps: ControllerDependencies): Component {
  return new RunningController(declaration as unknown as ControllerDeclaration, deps);
}

class RunningController implements Component {
  readonly name: string;
  readonly #declaration: ControllerDeclaration;
  readonly #deps: ControllerDependencies;
  readonly #log: Logger;
  readonly #queue: WorkQueue;
  readonly #abort = new AbortController();
  readonly #informers = new Map<string, Informer<unknown>>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #ownWrites = new Map<string, OwnWrites>();
  readonly #workers: Promise<void>[];

  constructor(declaration: ControllerDeclaration, deps: ControllerDependencies) {
    this.name = declaration.name;
    this.#declaration = declaration;
    this.#deps = deps;
    this.#log = deps.log.child(declaration.name);
    this.#queue = createWorkQueue(deps);
    const { reconciles, watches = [], reads = [], concurrency = defaultConcurrency } = declaration;
    for (const kind of [reconciles, ...watches.map((watch) => watch.kind), ...reads]) {
      this.#informers.set(idOf(kind), deps.informers.for(kind) as Informer<unknown>);
    }
    const ready = this.#start();
    this.#workers = Array.from({ length: concurrency }, () => this.#work(ready));
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#queue.shutDown();
    await Promise.all(this.#workers);
  }

  /** Handlers come after the sync, so that a mapping sees all there is; answers whether to go on. */
  async #start(): Promise<boolean> {
    const stopped = new Promise<'stopped'>((resolve) =>
      this.#abort.signal.addEventListener('abort', () => resolve('stopped'), { once: true }),
    );
    const synced = Promise.all([...this.#informers.values()].map((informer) => informer.synced));
    // The factory may be stopped first: then there is nothing to work on either.
    const outcome = await Promise.race([synced.catch(() => 'stopped'), stopped]);
    if (outcome === 'stopped' || this.#abort.signal.aborted) return false;
    this.#subscribe();
    this.#scheduleResync();
    return true;
  }

  #subscribe(): void {
    const { reconciles, watches = [], filter = () => true } = this.#declaration;
    const own = this.#informerOf(reconciles) as Informer<KubernetesObject>;
    this.#unsubscribe.push(
      own.onChange(({ object }) => {
        if (filter(object)) this.#queue.add(keyOf(object));
      }),
    );
    const context: WatchContext = {
      reconciles,
      queue: this.#queue,
      now: () => this.#deps.clock.now(),
      informer: (kind) => this.#informerOf(kind),
    };
    for (const watch of watches) {
      const informer = this.#informerOf(watch.kind) as Informer<KubernetesObject>;
      this.#unsubscribe.push(
        informer.onChange((change) => {
          for (const key of watch.keysOf(change.object, context)) this.#queue.add(key);
          if (change.type !== 'updated') return;
          for (const key of watch.keysOf(change.previous, context)) this.#queue.add(key);
        }),
      );
    }
  }

  #scheduleResync(): void {
    const { resyncMs, reconciles, filter = () => true } = this.#declaration;
    if (!resyncMs) return;
    let cancel = () => {};
    const again = () => {
      for (const object of this.#informerOf(reconciles).list()) if (filter(object)) this.#queue.add(keyOf(object));
      cancel = this.#deps.clock.after(resyncMs, again);
    };
    cancel = this.#deps.clock.after(resyncMs, again);
    this.#unsubscribe.push(() => cancel());
  }

  #informerOf<K>(kind: Kind<K>): Informer<K> {
    const informer = this.#informers.get(idOf(kind));
    if (informer) return informer as Informer<K>;
    throw new Error(`${this.name}: reads ${kind.plural}, expected it in the declaration's watches or reads`);
  }

  async #work(ready: Promise<boolean>): Promise<void> {
    if (!(await ready)) return;
    for (;;) {
      const key = await this.#queue.next();
      if (key === undefined || this.#abort.signal.aborted) return;
      try {
        if (this.#mayReconcile(key)) await this.#reconcile(key);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /** Not before the informers show what the key wrote last; then it comes back by itself. */
  #mayReconcile(key: string): boolean {
    const writes = this.#ownWrites.get(key);
    if (!writes) return true;
    if (writes.seen) {
      this.#ownWrites.delete(key);
      return true;
    }
    void writes.progress().then((more) => {
      if (more) this.#queue.add(key);
    });
    return false;
  }

  async #reconcile(key: string): Promise<void> {
    const { name, namespace } = splitKey(key);
    const object = this.#informerOf(this.#declaration.reconciles).get(name, namespace);
    try {
      const result = await this.#call(object, this.#contextOf(key));
      if (this.#ownWrites.get(key)?.seen) this.#ownWrites.delete(key);
      this.#queue.forget(key);
      if (result?.requeueAfterMs !== undefined) this.#queue.addAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const fields = { key, failures: this.#queue.failures(key), error };
      // A conflict is everyday life: the object changed meanwhile, and the next try reads the new one.
      if (isReason(error, 'Conflict')) this.#log.debug('Reconciliation met a conflict, trying again', fields);
      else this.#log.warn('Reconciliation failed, trying again', fields);
      this.#queue.addRateLimited(key);
    }
  }

  async #call(object: KubernetesObject | undefined, context: ReconcileContext): Promise<ReconcileResult> {
    const declaration = this.#declaration;
    if (declaration.onDeleted) return declaration.reconcile(object, context);
    if (object) return declaration.reconcile(object, context);
  }

  #contextOf(key: string): ReconcileContext {
    const { clock, random, recorder, client } = this.#deps;
    const writes = new OwnWrites((kind) => this.#informers.get(idOf(kind)), clock);
    this.#ownWrites.set(key, writes);
    return {
      key,
      ...splitKey(key),
      client: writes.track(client),
      recorder,
      queue: this.#queue,
      clock,
      random,
      log: this.#log,
      signal: this.#abort.signal,
      now: () => clock.now(),
      informer: (kind) => this.#informerOf(kind),
    };
  }
}

const idOf = (kind: Kind<unknown>) => `${kind.apiVersion}/${kind.plural}`;
