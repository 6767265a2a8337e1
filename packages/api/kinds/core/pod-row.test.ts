import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../../generated/types/core/v1.ts';
import { cellAt } from '../../cell.ts';
import { podRow } from './pod-row.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const container = (name: string, state: object, more: object = {}) => ({
  name,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const pod = (status: object, spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { containers: [{ name: 'c' }], nodeName: 'n', ...spec },
    status,
  }) as unknown as Pod;

const init = { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] };
const failed = { lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:55:00Z' } } };

const cases: readonly [what: string, pod: Pod, ready: string, status: string, restarts: string][] = [
  ['pending', pod({ phase: 'Pending' }), '0/1', 'Pending', '0'],
  [
    'running',
    pod({ phase: 'Running', containerStatuses: [container('c', { running: {} }, { ready: true })] }),
    '1/1',
    'Running',
    '0',
  ],
  [
    'crashing',
    pod({
      phase: 'Running',
      containerStatuses: [container('c', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 2, ...failed })],
    }),
    '0/1',
    'CrashLoopBackOff',
    '2 (5m ago)',
  ],
  [
    'initializing',
    pod({ phase: 'Pending', initContainerStatuses: [container('i', { running: {} })] }, init),
    '0/2',
    'Init:0/2',
    '0',
  ],
  [
    'failing to initialize',
    pod({ phase: 'Pending', initContainerStatuses: [container('i', { terminated: { exitCode: 1 } })] }, init),
    '0/2',
    'Init:ExitCode:1',
    '0',
  ],
  [
    'completed',
    pod({
      phase: 'Succeeded',
      containerStatuses: [container('c', { terminated: { exitCode: 0, reason: 'Completed' } })],
    }),
    '0/1',
    'Completed',
    '0',
  ],
  [
    'killed by a signal',
    pod({ phase: 'Failed', containerStatuses: [container('c', { terminated: { exitCode: 137, signal: 9 } })] }),
    '0/1',
    'Signal:9',
    '0',
  ],
  ['evicted', pod({ phase: 'Failed', reason: 'Evicted' }), '0/1', 'Evicted', '0'],
  [
    'terminating',
    pod({ phase: 'Running' }, {}, { deletionTimestamp: '2026-01-01T00:30:00Z' }),
    '0/1',
    'Terminating',
    '0',
  ],
  [
    'gated',
    pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    '0/1',
    'SchedulingGated',
    '0',
  ],
];

for (const [what, object, ready, status, restarts] of cases) {
  test(`podRow shows a pod that is ${what}`, () => {
    assert.deepEqual(
      podRow(object)
        .slice(1, 5)
        .map((cell) => cellAt(cell, nowMs)),
      [ready, status, restarts, '60m'],
    );
  });
}
