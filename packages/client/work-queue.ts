/**
 * Keys that wait to be reconciled: a key is queued once however often it is added, and is never handed out twice at
 * the same time; what is added while it is worked on comes again after `done`.
 */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  /** Adds after a delay that doubles with each call until `forget`. */
  addRateLimited(key: string): void;
  forget(key: string): void;
  /** Failures in a row of a key since `forget`. */
  failures(key: string): number;
  /** The next key, or undefined once the queue is shut down and empty. */
  next(): Promise<string | undefined>;
  done(key: string): void;
  readonly length: number;
  shutDown(): void;
}
