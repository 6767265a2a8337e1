import type { DatabaseSync } from 'node:sqlite';
import { StoreUnusable } from './errors.ts';

/**
 * `log` holds every version since the compaction, and each value once; `cur` points to the newest version of each key.
 * A version's id is its revision with room for the changes of one write, so the log is in the order of the events.
 * `previous` is the version that it replaced, 0 for a new key: the way back to what stood there at a revision.
 */
const schema = `
  create table meta (name text primary key, value integer not null) without rowid;
  create table log (id integer primary key, key text not null, value blob, created integer not null,
    previous integer not null);
  create table cur (key text primary key, id integer not null, created integer not null) without rowid;
  insert into meta values ('revision', 1), ('compacted', 0), ('swept', 0);
`;

/** "knod": tells our databases from others (PRAGMA application_id). */
const applicationId = 0x6b6e6f64;
const schemaVersion = 1;
/** Changes in one write (etcd's default allows 128). */
export const changesMax = 4_096;

export const idOf = (revision: number, index: number) => revision * changesMax + index;
export const revisionOfId = (id: number) => Math.floor(id / changesMax);

/** Makes the tables in a new file, or checks that an old one is ours and of a version that we know. */
export function prepareDatabase(database: DatabaseSync, path: string): void {
  const pragma = (name: string) => Number(database.prepare(`pragma ${name}`).get()?.[name]);
  const version = pragma('user_version');
  const whose = pragma('application_id');
  const isNew = version === 0 && whose === 0 && isEmpty(database);
  if (!isNew && whose !== applicationId) {
    throw new StoreUnusable(`open "${path}": the file is an SQLite database, but not one of kubernode`);
  }
  if (version > schemaVersion) {
    throw new StoreUnusable(
      `open "${path}": the database has version ${version}, this program knows versions up to ${schemaVersion}: ` +
        'run the newer kubernode that wrote it, or restore a backup made before the upgrade',
    );
  }
  if (isNew) {
    // It writes a first page, and is of no use any more once there is a table.
    database.exec('pragma auto_vacuum = incremental');
    // One transaction, so that a start that is killed leaves a file without tables or one that is whole.
    database.exec(`
      begin;
      ${schema}
      pragma application_id = ${applicationId};
      pragma user_version = ${schemaVersion};
      commit;
    `);
  } else if (pragma('page_count') <= checkedPagesMax) checkPages(database, path);
  setModes(database);
  const newest = database.prepare('select max(id) as id from log').get()?.['id'];
  if (revisionOfId(Number(newest ?? 0)) > metaValue(database, 'revision')) {
    throw new StoreUnusable(`open "${path}": the database is damaged (log is ahead of its revision): restore a backup`);
  }
}

const isEmpty = (database: DatabaseSync): boolean =>
  database.prepare('select count(*) as count from sqlite_schema').get()?.['count'] === 0;

/** Up to 64 MB all pages are checked at opening, in some 50 ms; beyond, damage shows when it is read. */
const checkedPagesMax = 16_384;

function checkPages(database: DatabaseSync, path: string): void {
  const found = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  if (found === 'ok') return;
  throw new StoreUnusable(`open "${path}": the database is damaged (${String(found)}): restore a backup`);
}

/** The log's pages that a checkpoint copies; also how far the WAL grows under load: 16 MB. */
const checkpointPages = 4_000;

/** Only a reader that recovers the WAL can be in the writer's way. */
export const busyTimeoutMs = 5_000;

function setModes(database: DatabaseSync): void {
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma wal_autocheckpoint = ${checkpointPages};
    pragma journal_size_limit = ${checkpointPages * 4_096};
    pragma cache_size = -4000;
    pragma busy_timeout = ${busyTimeoutMs};
  `);
}

export function metaValue(database: DatabaseSync, name: 'revision' | 'compacted' | 'swept'): number {
  return Number(database.prepare('select value from meta where name = ?').get(name)?.['value']);
}
