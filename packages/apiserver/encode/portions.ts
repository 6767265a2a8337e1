import type { StoredObject } from '../storage/stored-object.ts';

/** A list that is never in memory as a whole. */
export interface LongList {
  readonly contentType: string;
  /** Of all its pieces, in bytes; undefined where that is not known before they are made. */
  readonly length?: number;
  /**
   * Each is made when it is asked for, of objects of about so many stored bytes. Some are made in the memory that is
   * handed in: that may be the same each time if nobody reads a piece any more when the next is asked for.
   */
  pieces(bytesMin: number, memory?: (length: number) => Buffer): Iterator<Buffer> & Iterable<Buffer>;
}

/** The objects in runs of at least so many stored bytes, but the last one. */
export function* portions(
  objects: readonly StoredObject[],
  bytesMin: number,
): Generator<readonly StoredObject[], undefined> {
  let first = 0;
  let bytes = 0;
  for (let end = 1; end <= objects.length; end += 1) {
    bytes += objects[end - 1]!.byteLength;
    if (bytes < bytesMin && end < objects.length) continue;
    yield objects.slice(first, end);
    first = end;
    bytes = 0;
  }
}
