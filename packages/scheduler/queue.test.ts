import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { defaultPlugins } from './plugins/index.ts';
import { SchedulingQueue } from './queue.ts';
import { nodeOf, podOf } from './testing/objects.ts';

function newQueue() {
  const clock = new FakeClock();
  const queue = new SchedulingQueue({ clock, plugins: defaultPlugins, onReady: () => {} });
  return { clock, queue };
}

test('SchedulingQueue hands out the more important first, then the older', async () => {
  const { clock, queue } = newQueue();
  queue.add(podOf('old'));
  await clock.advance(1);
  queue.add(podOf('young'));
  queue.add(podOf('boss', { priority: 5 }));
  assert.deepEqual(
    [1, 2, 3].map(() => queue.pop()?.info.uid),
    ['boss', 'old', 'young'],
  );
  assert.equal(queue.pop(), undefined);
});

test('SchedulingQueue wakes a pod only for a change that may help, after its backoff', async () => {
  const { clock, queue } = newQueue();
  queue.add(podOf('p'));
  const pod = queue.pop();
  assert.ok(pod);
  queue.park(pod, new Set(['NodeUnschedulable']));
  queue.onChange({ type: 'podDeleted', pod: podOf('x').pod });
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, parked: 1 });
  queue.onChange({ type: 'nodeAdded', node: nodeOf('n').node });
  assert.deepEqual(queue.lengths, { active: 0, backoff: 1, parked: 0 });
  await clock.advance(1000);
  assert.deepEqual(queue.lengths, { active: 1, backoff: 0, parked: 0 });
});

test('SchedulingQueue waits longer after each failure', async () => {
  const { clock, queue } = newQueue();
  queue.add(podOf('p'));
  for (const waitMs of [1000, 2000, 4000, 8000, 10_000]) {
    const pod = queue.pop();
    assert.ok(pod);
    queue.park(pod, new Set());
    await clock.advance(waitMs - 1);
    assert.equal(queue.lengths.active, 0);
    await clock.advance(1);
    assert.equal(queue.lengths.active, 1);
  }
});

test('SchedulingQueue tries a forgotten pod again after five minutes', async () => {
  const { clock, queue } = newQueue();
  queue.add(podOf('p'));
  const pod = queue.pop();
  assert.ok(pod);
  queue.park(pod, new Set(['NodeAffinity']));
  await clock.advance(6 * 60_000);
  assert.equal(queue.lengths.active, 1);
});

test('SchedulingQueue takes a woken pod early where no other is active, the more important first', () => {
  const { queue } = newQueue();
  for (const pod of [podOf('low'), podOf('high', { priority: 5 })]) {
    queue.add(pod);
    queue.park(queue.pop()!, new Set(['NodeUnschedulable']));
  }
  queue.onChange({ type: 'nodeAdded', node: nodeOf('n').node });
  queue.add(podOf('fresh'));
  assert.deepEqual(
    [1, 2, 3].map(() => queue.pop()?.info.uid),
    ['fresh', 'high', 'low'],
  );
});

test('SchedulingQueue lets a pod whose write failed pause to the end', () => {
  const { queue } = newQueue();
  queue.add(podOf('p'));
  queue.park(queue.pop()!, new Set());
  assert.equal(queue.pop(), undefined);
});
