import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { followFiles } from './sqlite-files.ts';
import { plainError } from './sqlite-errors.ts';
import {
  concatenate,
  conflictAt,
  expectAbsent,
  expectAny,
  type PackedResults,
  type PackedWrites,
  type Reply,
  type Request,
} from './sqlite-messages.ts';
import { busyTimeoutMs, idOf, metaValue, prepareDatabase, revisionOfId } from './sqlite-schema.ts';

/** Versions forgotten in one transaction, so that writes wait for a compaction no longer than a few milliseconds. */
const compactRevisionsMax = 500;
/** Pages given back to the file system with each such transaction. */
const vacuumPagesMax = 1_000;

type VersionRow = readonly [id: number, created: number];

/** The one writer of a database. Everything that waits when it looks is one transaction: group commit. */
class Writer {
  readonly #database: DatabaseSync;
  readonly #checkFiles: () => void;
  readonly #current: StatementSync;
  readonly #value: StatementSync;
  readonly #log: StatementSync;
  readonly #point: StatementSync;
  readonly #remove: StatementSync;
  readonly #meta: StatementSync;
  #revision: number;
  #closing = false;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    prepareDatabase(this.#database, path);
    this.#checkFiles = followFiles([path, `${path}-wal`]);
    const prepare = (sql: string) => this.#database.prepare(sql);
    this.#current = prepare('select id, created from cur where key = ?');
    this.#value = prepare('select value from log where id = ?');
    this.#current.setReturnArrays(true);
    this.#value.setReturnArrays(true);
    this.#log = prepare('insert into log (id, key, value, created, previous) values (?, ?, ?, ?, ?)');
    this.#point = prepare(
      'insert into cur (key, id, created) values (?, ?, ?) on conflict (key) do update set id = excluded.id',
    );
    this.#remove = prepare('delete from cur where key = ?');
    this.#meta = prepare('update meta set value = ? where name = ?');
    this.#revision = metaValue(this.#database, 'revision');
  }

  write(batch: PackedWrites): PackedResults {
    const before = this.#revision;
    const outcomes: number[] = [];
    const found = new FoundVersions();
    try {
      this.#checkFiles();
      this.#database.exec('begin immediate');
      let first = 0;
      let offset = 0;
      for (const count of batch.counts) {
        const end = first + count;
        outcomes.push(this.#writeOne(batch, first, end, offset, found));
        for (; first < end; first++) offset += Math.max(0, batch.sizes[first]!);
      }
      if (this.#revision !== before) this.#meta.run(this.#revision, 'revision');
      this.#database.exec('commit');
    } catch (error) {
      this.#revision = before;
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
    return { outcomes, ...found.packed(), before, revision: this.#revision };
  }

  /** Changes `first` up to `end`; their values begin at `offset`. Answers the outcome. */
  #writeOne(batch: PackedWrites, first: number, end: number, offset: number, found: FoundVersions): number {
    const versions: (VersionRow | undefined)[] = [];
    for (let i = first; i < end; i++) {
      const version = this.#current.get(batch.keys[i]!) as unknown as VersionRow | undefined;
      const expect = batch.expects[i]!;
      const actual = version ? revisionOfId(version[0]) : expectAbsent;
      if (expect !== expectAny && expect !== actual) {
        found.add(version, version && this.#valueOf(version[0]));
        return conflictAt(i - first);
      }
      versions.push(version);
    }
    const revision = this.#revision + 1;
    let changed = false;
    for (let i = first; i < end; i++) {
      const version = versions[i - first];
      const key = batch.keys[i]!;
      const size = batch.sizes[i]!;
      const id = idOf(revision, i - first);
      found.add(version, version && this.#valueOf(version[0]));
      if (size < 0) {
        if (!version) continue;
        this.#log.run(id, key, null, version[1], version[0]);
        this.#remove.run(key);
      } else {
        const created = version?.[1] ?? revision;
        this.#log.run(id, key, new Uint8Array(batch.values, offset, size), created, version?.[0] ?? 0);
        this.#point.run(key, id, created);
        offset += size;
      }
      changed = true;
    }
    if (changed) this.#revision = revision;
    return this.#revision;
  }

  #valueOf(id: number): Uint8Array {
    return (this.#value.get(id) as unknown as readonly [Uint8Array])[0];
  }

  /**
   * Lets writes through between its transactions. Reads before the revision are refused first, then the versions go,
   * piece by piece; a piece left over by a crash is swept by the next call.
   */
  async compact(before: number): Promise<void> {
    if (before > metaValue(this.#database, 'compacted')) this.#meta.run(before, 'compacted');
    const target = metaValue(this.#database, 'compacted');
    const replaced = this.#database.prepare(
      'delete from log where id in (select previous from log where id >= ? and id < ? and previous > 0)',
    );
    const deletions = this.#database.prepare('delete from log where id >= ? and id < ? and value is null');
    for (let swept = metaValue(this.#database, 'swept'); swept < target && !this.#closing;) {
      const next = Math.min(target, swept + compactRevisionsMax);
      this.#inTransaction(() => {
        const range = [idOf(swept + 1, 0), idOf(next + 1, 0)] as const;
        replaced.run(...range);
        deletions.run(...range);
        this.#meta.run(next, 'swept');
      });
      swept = next;
      this.#database.exec(`pragma incremental_vacuum(${vacuumPagesMax})`);
      await new Promise(setImmediate);
    }
    // A reader in the way (a backup) must not hold up the writes: then the next compaction truncates the WAL.
    this.#database.exec(
      `pragma busy_timeout = 0; pragma wal_checkpoint(truncate); pragma busy_timeout = ${busyTimeoutMs}`,
    );
  }

  /** A compaction under way ends with its current piece. */
  endCompaction(): void {
    this.#closing = true;
  }

  close(): void {
    this.#database.close();
  }

  #inTransaction(work: () => void): void {
    try {
      this.#database.exec('begin immediate');
      work();
      this.#database.exec('commit');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

/** What stood at the keys that were looked at, for the events and the conflicts. */
class FoundVersions {
  readonly #ids: number[] = [];
  readonly #created: number[] = [];
  readonly #sizes: number[] = [];
  readonly #values: Uint8Array[] = [];
  #bytes = 0;

  add(version: VersionRow | undefined, value: Uint8Array | undefined): void {
    this.#ids.push(version?.[0] ?? 0);
    this.#created.push(version?.[1] ?? 0);
    this.#sizes.push(value?.byteLength ?? 0);
    if (!value) return;
    this.#values.push(value);
    this.#bytes += value.byteLength;
  }

  packed() {
    const values = concatenate(this.#values, this.#bytes);
    return { ids: this.#ids, created: this.#created, sizes: this.#sizes, values };
  }
}

function serve(port: NonNullable<typeof parentPort>, path: string): void {
  const reply = (message: Reply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  let writer: Writer;
  try {
    writer = new Writer(path);
  } catch (error) {
    reply({ type: 'failed', error: plainError(error), isOpening: true });
    port.close();
    return;
  }
  let compactions = Promise.resolve();
  const answer = (request: Exclude<Request, { type: 'open' }>): void => {
    if (request.type === 'write') {
      try {
        const results = writer.write(request.batch);
        reply({ type: 'written', results }, [results.values]);
      } catch (error) {
        reply({ type: 'notWritten', error: plainError(error) });
      }
      return;
    }
    if (request.type === 'compact') {
      const { call, before } = request;
      const done = (error?: unknown) =>
        reply({ type: 'compacted', call, error: error === undefined ? undefined : plainError(error) });
      compactions = compactions.then(() => writer.compact(before)).then(() => done(), done);
      return;
    }
    writer.endCompaction();
    void compactions.then(() => {
      writer.close();
      reply({ type: 'closed' });
      port.close();
    });
  };
  port.on('message', answer);
  reply({ type: 'ready' });
}

const port = parentPort;
port?.once('message', (request: Request) => {
  if (request.type === 'open') serve(port, request.path);
});
