/** Loaded into a server (`--expose-gc --import`): writes again and again how many bytes live, to a file. */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env['KUBERNODE_HEAP_FILE'] ?? '';
const intervalMs = 10_000;

function write(): void {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(file, String(heapUsed + external));
}

// Threads load it, too.
if (isMainThread) {
  write();
  setInterval(write, intervalMs).unref();
}
