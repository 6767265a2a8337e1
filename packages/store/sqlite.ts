import { existsSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { FutureRevision, StoreClosed, StoreFailed } from './errors.ts';
import { assertDistinct } from './memory.ts';
import { errorFromPlain } from './sqlite-errors.ts';
import { lockDatabase } from './sqlite-lock.ts';
import { conflictIndex, packWrites, type PackedResults, type Reply, type Request } from './sqlite-messages.ts';
import { Reader } from './sqlite-reader.ts';
import { changesMax, revisionOfId } from './sqlite-schema.ts';
import { takeThread } from './sqlite-thread.ts';
import type { Change, Entry, ListOptions, Page, Range, Revision, Store, StoreEvent, Written } from './store.ts';
import { WatchHub } from './watch-hub.ts';

export interface SqliteStoreOptions {
  /** The database file; its directory must exist. Beside it stand `-wal`, `-shm`, `.lock` and `.pid`. */
  readonly path: string;
  /** Events that may wait for one watcher before it is dropped. */
  readonly watcherQueueMax?: number;
}

/**
 * A store in one SQLite file (WAL, synchronous=FULL). One worker thread writes: all writes that wait are one
 * transaction, acknowledged after its commit. Throws StoreInUse where another process has the file, StoreUnusable
 * where it is damaged, newer than this program or not ours.
 */
export async function openSqliteStore({ path, watcherQueueMax }: SqliteStoreOptions): Promise<Store> {
  const unlock = lockDatabase(path);
  try {
    const worker = await startWorker(path);
    return new SqliteStore(path, worker, unlock, watcherQueueMax);
  } catch (error) {
    unlock();
    throw error;
  }
}

function startWorker(path: string): Promise<Worker> {
  const worker = takeThread();
  worker.ref();
  worker.postMessage({ type: 'open', path } satisfies Request);
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (reply: Reply) => {
      worker.off('error', reject);
      if (reply.type === 'failed') reject(errorFromPlain(reply.error, path));
      else resolve(worker);
    });
  });
}

/** Batches that the worker has before it: one that it commits, and the next, so that it never waits for this thread. */
const batchesMax = 2;
/** Changes in one batch: bounds what one transaction takes. */
const batchChangesMax = 2_000;

interface PendingWrite {
  readonly changes: readonly Change[];
  resolve(written: Written): void;
  reject(error: Error): void;
}

class SqliteStore implements Store {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #unlock: () => void;
  readonly #reader: Reader;
  readonly #hub: WatchHub;
  #waiting: PendingWrite[] = [];
  readonly #sent: PendingWrite[][] = [];
  readonly #compactions = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #compactionCalls = 0;
  #flushScheduled = false;
  #broken: Error | undefined;
  #closing: Promise<void> | undefined;
  #closed = () => {};

  constructor(path: string, worker: Worker, unlock: () => void, watcherQueueMax: number | undefined) {
    this.#path = path;
    this.#worker = worker;
    this.#unlock = unlock;
    this.#reader = new Reader(path);
    this.#hub = new WatchHub(watcherQueueMax);
    worker.on('message', (reply: Reply) => this.#onReply(reply));
    worker.on('error', (error) => this.#break(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#break(new Error('its thread ended')));
    worker.unref();
  }

  async get(key: string, at?: Revision): Promise<Entry | undefined> {
    this.#assertOpen();
    return this.#reader.get(key, at);
  }

  async list(range: Range, { at, limit = Infinity, isCounted = true }: ListOptions = {}): Promise<Page> {
    this.#assertOpen();
    return this.#reader.list(range, at, limit, isCounted);
  }

  write(changes: readonly Change[]): Promise<Written> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      if (this.#broken) throw this.#broken;
      assertDistinct(changes);
      if (changes.length > changesMax) {
        throw new Error(`write: ${changes.length} changes at once, expected at most ${changesMax}`);
      }
      this.#waiting.push({ changes, resolve, reject });
      if (this.#flushScheduled || this.#sent.length >= batchesMax) return;
      // What is written in the same turn goes together.
      this.#flushScheduled = true;
      queueMicrotask(() => {
        this.#flushScheduled = false;
        this.#send();
      });
    });
  }

  watch(range: Range, after: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]> {
    return this.#hub.watch(range, after, signal, () => this.#reader.replay(range, after));
  }

  async *changes(range: Range, after: Revision, upTo: Revision): AsyncGenerator<readonly StoreEvent[]> {
    this.#assertOpen();
    yield* this.#reader.changes(range, after, upTo);
  }

  async compact(before: Revision): Promise<void> {
    this.#assertOpen();
    const revision = this.#reader.revision();
    if (before > revision) throw new FutureRevision(before, revision);
    if (this.#broken) throw this.#broken;
    const call = ++this.#compactionCalls;
    await new Promise<void>((resolve, reject) => {
      this.#compactions.set(call, { resolve, reject });
      this.#post({ type: 'compact', call, before });
    });
  }

  async revision(): Promise<Revision> {
    this.#assertOpen();
    return this.#reader.revision();
  }

  async backup(path: string): Promise<void> {
    this.#assertOpen();
    if (existsSync(path)) throw new Error(`backup to "${path}": the file exists, expected a new one`);
    await this.#reader.backup(path);
  }

  /** Writes under way are still made; resolves when the thread has ended. */
  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#hub.close();
      if (this.#broken) this.#finishClose();
      else if (this.#waiting.length === 0) this.#endWorker();
    });
    return this.#closing;
  }

  /** The writer closes last: so it is the one that copies the WAL into the file. */
  #endWorker(): void {
    this.#reader.close();
    this.#post({ type: 'close' });
  }

  #assertOpen(): void {
    if (this.#closing) throw new StoreClosed();
  }

  #post(request: Request, transfer: ArrayBuffer[] = []): void {
    // While something is under way the process stays; an open store alone does not keep it.
    this.#worker.ref();
    this.#worker.postMessage(request, transfer);
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#sent.length < batchesMax) {
      let changes = 0;
      let count = 0;
      while (count < this.#waiting.length && (count === 0 || changes < batchChangesMax)) {
        changes += this.#waiting[count++]!.changes.length;
      }
      const writes = this.#waiting.splice(0, count);
      const batch = packWrites(writes.map((write) => write.changes));
      this.#sent.push(writes);
      this.#post({ type: 'write', batch }, [batch.values]);
    }
    if (this.#closing && this.#waiting.length === 0) this.#endWorker();
  }

  #onReply(reply: Reply): void {
    if (reply.type === 'written') this.#onWritten(this.#sent.shift()!, reply.results);
    else if (reply.type === 'notWritten') {
      const error = errorFromPlain(reply.error, this.#path);
      for (const write of this.#sent.shift()!) write.reject(error);
    } else if (reply.type === 'compacted') {
      const compaction = this.#compactions.get(reply.call);
      this.#compactions.delete(reply.call);
      if (reply.error) compaction?.reject(errorFromPlain(reply.error, this.#path));
      else compaction?.resolve();
    } else if (reply.type === 'closed') return;
    if (this.#waiting.length > 0) this.#send();
    if (this.#sent.length === 0 && this.#compactions.size === 0 && !this.#closing) this.#worker.unref();
  }

  #onWritten(writes: readonly PendingWrite[], results: PackedResults): void {
    const events: StoreEvent[] = [];
    const answers: Written[] = [];
    const found = new FoundEntries(results);
    let newest = results.before;
    for (const [index, { changes }] of writes.entries()) {
      const outcome = results.outcomes[index]!;
      if (outcome < 0) {
        const key = changes[conflictIndex(outcome)]!.key;
        answers.push({ ok: false, key, current: found.next(key), revision: newest });
        continue;
      }
      for (const { key, value } of changes) {
        const previous = found.next(key);
        if (value) {
          const entry = { key, value, revision: outcome, created: previous?.created ?? outcome };
          events.push({ type: 'put', entry, previous });
        } else if (previous) events.push({ type: 'delete', key, revision: outcome, previous });
      }
      newest = outcome;
      answers.push({ ok: true, revision: outcome });
    }
    if (events.length > 0) this.#hub.publish(events);
    for (const [index, write] of writes.entries()) write.resolve(answers[index]!);
  }

  #break(cause: Error): void {
    if (this.#broken) return;
    this.#broken = new StoreFailed(`"${this.#path}": the store's writer failed (${cause.message})`, { cause });
    for (const write of [...this.#sent.splice(0).flat(), ...this.#waiting.splice(0)]) write.reject(this.#broken);
    for (const compaction of this.#compactions.values()) compaction.reject(this.#broken);
    if (this.#closing) this.#finishClose();
  }

  #finishClose(): void {
    this.#broken ??= new StoreClosed();
    this.#reader.close();
    this.#unlock();
    this.#closed();
  }
}

/** Reads the packed results in their order. */
class FoundEntries {
  readonly #results: PackedResults;
  #index = 0;
  #offset = 0;

  constructor(results: PackedResults) {
    this.#results = results;
  }

  next(key: string): Entry | undefined {
    const { ids, created, sizes, values } = this.#results;
    const index = this.#index++;
    const size = sizes[index]!;
    const value = new Uint8Array(values, this.#offset, size);
    this.#offset += size;
    const id = ids[index]!;
    return id === 0 ? undefined : { key, value, revision: revisionOfId(id), created: created[index]! };
  }
}
