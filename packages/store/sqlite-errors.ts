import { StoreFailed, StoreFull, StoreUnusable } from './errors.ts';

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const codes = { readOnly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };
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
  return new StoreFailed(`"${path}": ${error.message}`, { cause: error });
}

/** The same error on the other side of a thread, where only its words arrive. */
export interface PlainError {
  readonly message: string;
  readonly errcode: number | undefined;
  /** Already one of ours. */
  readonly isUnusable: boolean;
}

export function plainError(error: unknown): PlainError {
  const message = error instanceof Error ? error.message : String(error);
  return { message, errcode: (error as { errcode?: number }).errcode, isUnusable: error instanceof StoreUnusable };
}

export function errorFromPlain({ message, errcode, isUnusable }: PlainError, path: string): Error {
  if (isUnusable) return new StoreUnusable(message);
  return storeErrorFrom(Object.assign(new Error(message), errcode === undefined ? {} : { errcode }), path);
}
