import { DatabaseSync } from 'node:sqlite';
import { StoreInUse } from './errors.ts';
import { storeErrorFrom } from './sqlite-errors.ts';

const busy = 5;

/**
 * Takes the database for this process until the answer is called. The lock is one of the kernel's on a small SQLite
 * file beside the database, so it ends with the process, however that ends, and the file itself may stay. Throws
 * StoreInUse, which names the other process.
 */
export function lockDatabase(path: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    lock.exec('begin immediate');
    recordHolder(lock);
    const held = lock;
    return () => held.close();
  } catch (error) {
    const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === busy;
    const pid = isBusy && lock ? holderOf(lock) : undefined;
    lock?.close();
    throw isBusy ? new StoreInUse(path, pid) : storeErrorFrom(error, path);
  }
}

/** The name is a courtesy: on a full disk the lock holds without it. */
function recordHolder(lock: DatabaseSync): void {
  try {
    lock.exec('create table if not exists holder (pid integer); delete from holder');
    lock.prepare('insert into holder values (?)').run(process.pid);
    lock.exec('commit');
  } catch {
    if (lock.isTransaction) lock.exec('rollback');
  }
  lock.exec('begin immediate');
}

function holderOf(lock: DatabaseSync): number | undefined {
  try {
    const pid = lock.prepare('select pid from holder').get()?.['pid'];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    return undefined;
  }
}
