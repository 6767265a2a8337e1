import { Worker } from 'node:worker_threads';

let spare: Worker | undefined;

/**
 * Starts the thread of the SQLite store that will be opened next, which takes some 50 ms: a program that is about to do other
 * work first does not have to wait for it later. Imports nothing else of the store.
 */
export function startSpareThread(): void {
  if (spare) return;
  const thread = newThread();
  spare = thread;
  thread.unref();
  // The store that is opened then starts another one, and tells what is wrong.
  thread.once('error', endSpareThread);
}

/** No store will be opened after all. */
export function endSpareThread(): void {
  void spare?.terminate();
  spare = undefined;
}

/** A thread that waits for its first message, which is to be `open`. */
export function takeThread(): Worker {
  const thread = spare ?? newThread();
  spare = undefined;
  thread.off('error', endSpareThread);
  return thread;
}

function newThread(): Worker {
  // The worker is found beside this file, as source or as what it was compiled to.
  const url = new URL(import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url);
  return new Worker(url, { name: 'store' });
}
