import { accessSync, constants } from 'node:fs';
import { StoreFailed, StoreFull, StoreMissing, StoreNotWritable, StoreUnusable } from './errors.ts';

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const codes = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };
/** No space for the shared memory beside the WAL. */
const ioErrorSharedMemorySize = 4_874;

/** What SQLite reports, in the words of the store. */
export function storeErrorFrom(error: unknown, path: string): Error {
  const extended = (error as { errcode?: number }).errcode;
  if (!(error instanceof Error) || extended === undefined)
    return error instanceof Error ? error : new Error(String(error));
  const code = extended & 0xff;
  if (code === codes.full || extended === ioErrorSharedMemorySize) return new StoreFull(path);
  if (code === codes.notADatabase) {
    return new StoreUnusable(`open "${path}": the file is not an SQLite database: restore a backup`, { cause: error });
  }
  if (code === codes.corrupt) {
    return new StoreUnusable(`"${path}": the database is damaged (${error.message}): restore a backup`, {
      cause: error,
    });
  }
  if (code === codes.cantOpen || code === codes.readOnly) {
    return new StoreFailed(`open "${path}": ${error.message}: check that the directory is there and writable`, {
      cause: error,
    });
  }
  if (code === codes.busy) {
    const why = 'another process holds its lock: end what has the file open; every write tries again';
    return new StoreNotWritable(path, why, { cause: error });
  }
  if (code === codes.ioError) return new StoreNotWritable(path, whyNotWritable(path, error), { cause: error });
  return new StoreFailed(`"${path}": ${error.message}`, { cause: error });
}

/** A disk that fails is often made read-only by the system; SQLite tells both as the same. */
function whyNotWritable(path: string, error: Error): string {
  try {
    accessSync(path, constants.W_OK);
  } catch (refused) {
    if ((refused as NodeJS.ErrnoException).code === 'EROFS') {
      return 'the file system is read-only: mount it for writing, then writes work again without a restart';
    }
  }
  return `the disk fails (${error.message}): look after it; every write tries again`;
}

/** In the thread that writes: a file is not where it was. */
export class FileMissing extends Error {
  /** Without its folder. */
  readonly file: string;

  constructor(file: string) {
    super(file);
    this.name = 'FileMissing';
    this.file = file;
  }
}

/** The same error on the other side of a thread, where only its words arrive. */
export interface PlainError {
  readonly message: string;
  readonly errcode: number | undefined;
  /** Already one of ours. */
  readonly isUnusable: boolean;
  /** The name of the file that is missing. */
  readonly missing: string | undefined;
}

export function plainError(error: unknown): PlainError {
  const message = error instanceof Error ? error.message : String(error);
  const missing = error instanceof FileMissing ? error.file : undefined;
  const { errcode } = error as { errcode?: number };
  return { message, errcode, isUnusable: error instanceof StoreUnusable, missing };
}

export function errorFromPlain({ message, errcode, isUnusable, missing }: PlainError, path: string): Error {
  if (missing !== undefined) return new StoreMissing(path, missing);
  if (isUnusable) return new StoreUnusable(message);
  return storeErrorFrom(Object.assign(new Error(message), errcode === undefined ? {} : { errcode }), path);
}
