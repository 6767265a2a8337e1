import type { Change } from './store.ts';
import type { PlainError } from './sqlite-errors.ts';

/** What the main thread asks of the worker. Many writes make one message, with all values in one buffer. */
export type Request =
  /** The first one. */
  | { readonly type: 'open'; readonly path: string }
  | { readonly type: 'write'; readonly batch: PackedWrites }
  | { readonly type: 'compact'; readonly call: number; readonly before: number }
  | { readonly type: 'close' };

export type Reply =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: PlainError; readonly isOpening: boolean }
  | { readonly type: 'written'; readonly results: PackedResults }
  /** The whole batch was rolled back. */
  | { readonly type: 'notWritten'; readonly error: PlainError }
  | { readonly type: 'compacted'; readonly call: number; readonly error: PlainError | undefined }
  | { readonly type: 'closed' };

/** One after the other: `counts` says how many changes each write has. */
export interface PackedWrites {
  readonly counts: readonly number[];
  readonly keys: readonly string[];
  /** A revision, or one of `expectAbsent` and `expectAny`. */
  readonly expects: readonly number[];
  /** Bytes of each value in `values`; -1 deletes. */
  readonly sizes: readonly number[];
  readonly values: ArrayBuffer;
}

export const expectAbsent = 0;
export const expectAny = -1;

/**
 * For each write its revision, or, where it met a conflict, minus the number of its changes before that. For each
 * change of a written one, and for each conflict, what stood there: id (0: nothing), created, size of the value.
 */
export interface PackedResults {
  readonly outcomes: readonly number[];
  readonly ids: readonly number[];
  readonly created: readonly number[];
  readonly sizes: readonly number[];
  readonly values: ArrayBuffer;
  /** The newest revision before the batch and after it. */
  readonly before: number;
  readonly revision: number;
}

export const conflictAt = (index: number) => -1 - index;
export const conflictIndex = (outcome: number) => -1 - outcome;

export function packWrites(writes: readonly (readonly Change[])[]): PackedWrites {
  const packed = { counts: [] as number[], keys: [] as string[], expects: [] as number[], sizes: [] as number[] };
  let bytes = 0;
  for (const changes of writes) {
    packed.counts.push(changes.length);
    for (const { key, value, expect } of changes) {
      packed.keys.push(key);
      packed.expects.push(expect === 'any' ? expectAny : expect === 'absent' ? expectAbsent : expect);
      packed.sizes.push(value ? value.byteLength : -1);
      bytes += value?.byteLength ?? 0;
    }
  }
  return {
    ...packed,
    values: concatenate(
      writes.flatMap((changes) => changes.map((change) => change.value)),
      bytes,
    ),
  };
}

export function concatenate(parts: readonly (Uint8Array | undefined)[], bytes: number): ArrayBuffer {
  const whole = new Uint8Array(new ArrayBuffer(bytes));
  let offset = 0;
  for (const part of parts) {
    if (!part) continue;
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole.buffer;
}
