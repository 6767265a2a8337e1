import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { Compacted, FutureRevision, StoreClosed } from './errors.ts';
import { storeErrorFrom } from './sqlite-errors.ts';
import { changesMax, idOf, revisionOfId } from './sqlite-schema.ts';
import type { Entry, Page, Range, Revision, StoreEvent } from './store.ts';

/** Rows read at one go: a larger answer lets other work through in between. */
const sliceRows = 1_000;
/** All pages of a file, which may have this many. */
const pagesMax = 2 ** 31 - 1;
/** Revisions looked through at one go, whatever they are about. */
const sliceRevisions = 32;
/** More than one write can make, so that a slice holds at least one whole revision. */
const replayRows = changesMax + 1;

type EntryRow = readonly [key: string, value: Uint8Array, id: number, created: number];
type EventRow = readonly [
  id: number,
  key: string,
  value: Uint8Array | null,
  created: number,
  previousId: number,
  previousValue: Uint8Array | null,
  previousCreated: number | null,
];

/** The keys that changed after `:id`, with the version that stood there then (0: none). */
const changedAfter = `
  with changed as (
    select key, min(id) as first, previous from log where id > :id and key >= :from and key < :to group by key
  )`;
const unchanged = 'select key, id from cur where key >= :from and key < :to and id <= :id';
const changedBack = 'select key, previous as id from changed where previous > 0';

/** A second connection, read-only, on the thread of the caller: a read costs microseconds and waits for no write. */
export class Reader {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #list: StatementSync;
  readonly #count: StatementSync;
  readonly #listAt: StatementSync;
  readonly #countAt: StatementSync;
  readonly #events: StatementSync;
  readonly #eventsUpTo: StatementSync;
  readonly #meta: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    this.#database.exec('pragma cache_size = -2000');
    const prepare = (sql: string) => {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      statement.setAllowUnknownNamedParameters(true);
      return statement;
    };
    const entry = 'select log.key, log.value, log.id, log.created';
    this.#begin = prepare('begin');
    this.#commit = prepare('commit');
    this.#meta = prepare('select value from meta where name = ?');
    this.#get = prepare(`${entry} from cur join log on log.id = cur.id where cur.key = ?`);
    this.#list = prepare(
      `${entry} from cur cross join log on log.id = cur.id
       where cur.key >= :from and cur.key < :to order by cur.key limit :limit`,
    );
    this.#count = prepare('select count(*) from cur where key >= :from and key < :to');
    // Each half stops at the limit, so a page of a long list does not cost the whole list.
    this.#listAt = prepare(
      `${changedAfter}, page as (
         select * from (${unchanged} order by key limit :limit)
         union all select * from (${changedBack} order by key limit :limit)
         order by key limit :limit)
       ${entry} from page cross join log on log.id = page.id order by page.key`,
    );
    this.#countAt = prepare(
      `${changedAfter} select (select count(*) from (${unchanged})) + (select count(*) from (${changedBack}))`,
    );
    const events = `select log.id, log.key, log.value, log.created, log.previous, past.value, past.created
       from log left join log as past on past.id = log.previous
       where log.id >= :id and log.key >= :from and log.key < :to`;
    this.#events = prepare(`${events} order by log.id limit ${replayRows}`);
    this.#eventsUpTo = prepare(`${events} and log.id < :end order by log.id`);
  }

  revision(): Revision {
    return this.#snapshot(() => this.#metaValue('revision'));
  }

  get(key: string, at: Revision | undefined): Entry | undefined {
    if (at !== undefined) return this.page({ from: key, to: `${key}\0` }, at, 1, false).entries[0];
    return this.#snapshot(() => {
      const row = this.#get.get(key) as unknown as EntryRow | undefined;
      return row && entryOf(row);
    });
  }

  /** Throws Compacted, FutureRevision. Counts what remains only where asked to; else 1 says that there is more. */
  page(range: Range, at: Revision | undefined, limit: number, isCounted: boolean): Page {
    return this.#snapshot(() => {
      const revision = this.#metaValue('revision');
      const isNow = at === undefined || at === revision;
      if (!isNow) this.#assertReadable(at, revision);
      const id = idOf((at ?? revision) + 1, 0) - 1;
      const rowsMax = Number.isFinite(limit) ? limit + (isCounted ? 0 : 1) : -1;
      const parameters = { ...range, id, limit: rowsMax };
      const rows = (isNow ? this.#list : this.#listAt).all(parameters) as unknown as EntryRow[];
      let remaining = 0;
      if (isCounted && rows.length >= limit) {
        const [count] = (isNow ? this.#count : this.#countAt).get(parameters) as unknown as [number];
        remaining = count - rows.length;
      } else if (rows.length > limit) {
        rows.pop();
        remaining = 1;
      }
      return { entries: rows.map(entryOf), revision: at ?? revision, remaining };
    });
  }

  /** A page that may be large, put together of slices. */
  async list(range: Range, at: Revision | undefined, limit: number, isCounted: boolean): Promise<Page> {
    if (limit <= sliceRows) return this.page(range, at, limit, isCounted);
    for (;;) {
      const first = this.page(range, at, sliceRows, false);
      try {
        const rest = first.entries.length < sliceRows ? [] : await this.#rest(range, first, limit);
        const entries = rest.length > 0 ? [...first.entries, ...rest] : first.entries;
        const last = entries.at(-1);
        if (entries.length < limit || !last) return { entries, revision: first.revision, remaining: 0 };
        const beyond = this.page({ from: `${last.key}\0`, to: range.to }, first.revision, 0, isCounted);
        return { entries, revision: first.revision, remaining: beyond.remaining };
      } catch (error) {
        // A compaction overtook the reading of the newest revision: the newer one serves as well.
        if (!(error instanceof Compacted) || at !== undefined) throw error;
      }
    }
  }

  async #rest(range: Range, first: Page, limit: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    let last = first.entries.at(-1)!.key;
    for (let missing = limit - first.entries.length; missing > 0;) {
      await new Promise(setImmediate);
      const rows = Math.min(sliceRows, missing);
      const slice = this.page({ from: `${last}\0`, to: range.to }, first.revision, rows, false).entries;
      for (const entry of slice) entries.push(entry);
      if (slice.length < rows) break;
      missing -= slice.length;
      last = slice.at(-1)!.key;
    }
    return entries;
  }

  /** What happened after `after`, in batches of whole revisions. Throws Compacted. */
  async *replay(range: Range, after: Revision): AsyncGenerator<readonly StoreEvent[]> {
    for (let next = after; ;) {
      const rows = this.#snapshot(() => {
        const compacted = this.#metaValue('compacted');
        if (next < compacted) throw new Compacted(next, compacted);
        return this.#events.all({ ...range, id: idOf(next + 1, 0) }) as unknown as EventRow[];
      });
      const isLast = rows.length < replayRows;
      const newest = revisionOfId(rows.at(-1)?.[0] ?? 0);
      const whole = isLast ? rows : rows.filter(([id]) => revisionOfId(id) < newest);
      if (whole.length > 0) yield whole.map(eventOf);
      if (isLast) return;
      next = newest - 1;
      await new Promise(setImmediate);
    }
  }

  /** What happened after `after` and up to `upTo`. Throws Compacted. */
  async *changes(range: Range, after: Revision, upTo: Revision): AsyncGenerator<readonly StoreEvent[]> {
    for (let next = after; next < upTo;) {
      const end = Math.min(upTo, next + sliceRevisions);
      const rows = this.#snapshot(() => {
        const compacted = this.#metaValue('compacted');
        if (next < compacted) throw new Compacted(next, compacted);
        const parameters = { ...range, id: idOf(next + 1, 0), end: idOf(end + 1, 0) };
        return this.#eventsUpTo.all(parameters) as unknown as EventRow[];
      });
      if (rows.length > 0) yield rows.map(eventOf);
      next = end;
      if (next < upTo) await new Promise(setImmediate);
    }
  }

  /** In one step on a thread of its own, so that writes neither wait nor make it start over. */
  async backup(path: string): Promise<void> {
    try {
      await backup(this.#database, path, { rate: pagesMax });
    } catch (error) {
      throw storeErrorFrom(error, path);
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #assertReadable(at: Revision, revision: Revision): void {
    if (at > revision) throw new FutureRevision(at, revision);
    const compacted = this.#metaValue('compacted');
    if (at < compacted) throw new Compacted(at, compacted);
  }

  #metaValue(name: 'revision' | 'compacted'): number {
    return (this.#meta.get(name) as unknown as readonly [number])[0];
  }

  /** All statements of `read` see the same state. */
  #snapshot<T>(read: () => T): T {
    if (!this.#database.isOpen) throw new StoreClosed();
    try {
      this.#begin.run();
      return read();
    } catch (error) {
      throw storeErrorFrom(error, this.#path);
    } finally {
      if (this.#database.isTransaction) this.#commit.run();
    }
  }
}

function entryOf([key, value, id, created]: EntryRow): Entry {
  return { key, value, revision: revisionOfId(id), created };
}

function eventOf([id, key, value, created, previousId, previousValue, previousCreated]: EventRow): StoreEvent {
  const revision = revisionOfId(id);
  const previous: Entry | undefined =
    previousValue === null
      ? undefined
      : { key, value: previousValue, revision: revisionOfId(previousId), created: previousCreated ?? created };
  if (value === null) return { type: 'delete', key, revision, previous: previous! };
  return { type: 'put', entry: { key, value, revision, created }, previous };
}
