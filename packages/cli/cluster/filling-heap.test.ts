import assert from 'node:assert/strict';
import { constants, PerformanceObserver, type PerformanceNodeEntry } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { whileMemoryFills } from './filling-heap.ts';

// Marking at once, or how many collections there are would depend on how busy the machine is.
setFlagsFromString('--no-incremental-marking');

const bufferBytes = 8 * 1024 * 1024;
const buffersKept = 80;

/** Makes buffers that stay, and answers how often the whole heap was collected meanwhile. */
async function collectionsWhileFilling(): Promise<number> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as PerformanceNodeEntry).detail as { readonly kind: number };
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const kept: ArrayBuffer[] = [];
  while (kept.length < buffersKept) {
    // They are never touched, and take addresses alone.
    kept.push(new ArrayBuffer(bufferBytes));
    await nextTurn();
  }
  observer.disconnect();
  return collections;
}

test('whileMemoryFills lets the heap be collected less often, and as before when it is over', async () => {
  const during = await whileMemoryFills(collectionsWhileFilling);
  const after = await collectionsWhileFilling();
  assert.ok(during < after, `${during} collections while the memory filled, ${after} afterwards`);
});
