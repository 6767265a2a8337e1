import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreInUse } from './errors.ts';
import { storeErrorFrom } from './sqlite-errors.ts';

const busy = 5;

/**
 * Takes the database for this process until the answer is called. The lock is one of the kernel's on a small SQLite
 * file beside the database, so it ends with the process, however that ends, and the files may stay. Throws
 * StoreInUse, which names the other process.
 */
export function lockDatabase(path: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    lock.exec('begin immediate');
    recordHolder(path);
    const held = lock;
    return () => held.close();
  } catch (error) {
    const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === busy;
    const pid = isBusy ? holderOf(path) : undefined;
    lock?.close();
    throw isBusy ? new StoreInUse(path, pid) : storeErrorFrom(error, path);
  }
}

/** The name is a courtesy: on a full disk the lock holds without it. A file of its own needs no waiting for the disk. */
function recordHolder(path: string): void {
  try {
    writeFileSync(holderFile(path), `${process.pid}\n`);
  } catch {
    // Nobody is told who it is.
  }
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(holderFile(path), 'latin1')) || undefined;
  } catch {
    return undefined;
  }
}

const holderFile = (path: string) => `${path}.pid`;
