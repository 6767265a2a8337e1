import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '@kubernode/api/batch/v1';
import { nowMs, podOf, type PodSketch } from '../testing/objects.ts';
import { recordEnds, remainingMs } from './backoff.ts';
import { judge } from './failure-policy.ts';
import { trackingFinalizer } from './job-pods.ts';
import { completionOf, endingOf, wantedActive } from './outcome.ts';
import { tally } from './tally.ts';
import { track } from './track.ts';

function jobOf(spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job {
  const template = { metadata: {}, spec: { containers: [], restartPolicy: 'Never' } };
  const defaults = { parallelism: 2, completions: 3, backoffLimit: 1, template };
  return { metadata: { name: 'work', uid: 'j' }, spec: { ...defaults, ...spec }, status } as unknown as Job;
}

const finalizers = [trackingFinalizer];
const indexed = (index: number, sketch: PodSketch = {}): PodSketch => ({
  finalizers,
  ...sketch,
  annotations: { 'batch.kubernetes.io/job-completion-index': String(index), ...sketch.annotations },
});
const succeeded: PodSketch = { phase: 'Succeeded', finalizers };
const failed: PodSketch = { phase: 'Failed', finalizers, exitCode: 1 };
const podsOf = (...sketches: PodSketch[]) => sketches.map((sketch, index) => podOf(`p${index}`, sketch));

const perIndex = { completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 1, backoffLimit: 99 } as const;
const policy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] } as const;
const successPolicy = { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] };

const endings: readonly [what: string, job: Job, pods: PodSketch[], reason: string | undefined][] = [
  ['goes on', jobOf(), [{ finalizers }, succeeded, failed], undefined],
  ['fails beyond the backoff limit', jobOf(), [failed, failed], 'BackoffLimitExceeded'],
  ['counts what was counted', jobOf({}, { failed: 1 }), [failed], 'BackoffLimitExceeded'],
  [
    'goes on before a deadline that only a bigint holds',
    jobOf({ activeDeadlineSeconds: (2n ** 63n - 1n) as unknown as number }, { startTime: '2026-01-01T11:59:55Z' }),
    [],
    undefined,
  ],
  [
    'fails at its deadline',
    jobOf({ activeDeadlineSeconds: 5 }, { startTime: '2026-01-01T11:59:55Z' }),
    [],
    'DeadlineExceeded',
  ],
  ['fails by policy', jobOf({ podFailurePolicy: policy as never }), [{ ...failed, exitCode: 42 }], 'PodFailurePolicy'],
  ['tolerates one failed index', jobOf(perIndex), [indexed(0, failed), indexed(1)], undefined],
  ['fails by its indexes', jobOf(perIndex), [indexed(0, failed), indexed(1, failed)], 'MaxFailedIndexesExceeded'],
  [
    'ends when all indexes ended, some of them badly',
    jobOf({ ...perIndex, completions: 2 }),
    [indexed(0, failed), indexed(1, succeeded)],
    'FailedIndexes',
  ],
  [
    'succeeds by policy',
    jobOf({ completionMode: 'Indexed', successPolicy }),
    [indexed(1, succeeded), indexed(2)],
    'SuccessPolicy',
  ],
];

for (const [what, job, sketches, reason] of endings) {
  test(`endingOf: the job ${what}`, () => {
    const pods = podsOf(...sketches);
    assert.equal(endingOf(job, pods, tally(job, pods), nowMs)?.reason, reason);
  });
}

test('judge takes the first rule that matches', () => {
  const rules = [
    { action: 'Ignore', onPodConditions: [{ type: 'Ready', status: 'True' }] },
    { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [42] } },
    { action: 'Count', onExitCodes: { operator: 'NotIn', values: [7] } },
  ];
  const job = jobOf({ podFailurePolicy: { rules } as never });
  const verdict = (sketch: PodSketch) => judge(podOf('p', { phase: 'Failed', ...sketch }), job);
  assert.deepEqual(verdict({ ready: true }), { action: 'Ignore', counts: false });
  assert.equal(
    verdict({ exitCode: 42 }).message,
    'Container c for pod default/p failed with exit code 42 matching FailJob rule at index 1',
  );
  assert.deepEqual(verdict({ exitCode: 3 }), { action: 'Count', counts: true });
  assert.deepEqual(verdict({ exitCode: 7 }), { action: undefined, counts: true });
});

const wanted: readonly [what: string, spec: Partial<Job['spec']>, succeeded: number, active: number, wanted: number][] =
  [
    ['parallelism', {}, 0, 0, 2],
    ['what misses to completion', {}, 2, 1, 1],
    ['none while suspended', { suspend: true }, 0, 2, 0],
    ['all workers of a queue', { completions: undefined }, 0, 1, 2],
    ['no new workers once one was done', { completions: undefined }, 1, 1, 1],
  ];

for (const [what, spec, done, running, expected] of wanted) {
  test(`wantedActive: ${what}`, () => {
    const active = podsOf(...Array.from({ length: running }, () => ({})));
    assert.equal(wantedActive(jobOf(spec), { succeeded: done, active }), expected);
  });
}

test('completionOf waits for the last pod', () => {
  assert.equal(completionOf(jobOf(), 3, 1), undefined);
  assert.equal(completionOf(jobOf(), 3, 0)?.reason, 'CompletionsReached');
  assert.equal(completionOf(jobOf({ completions: undefined }), 0, 0), undefined);
});

test('track counts each pod once, wherever it was interrupted', () => {
  const job = jobOf({ backoffLimit: 9 }, { failed: 1, uncountedTerminatedPods: { succeeded: ['uid-p0', 'uid-gone'] } });
  const pods = podsOf(succeeded, succeeded, failed, { finalizers }, { phase: 'Succeeded' });
  const { release, ...tracking } = track(job, pods, tally(job, pods), undefined);
  assert.deepEqual(tracking, {
    succeeded: 1,
    failed: 1,
    uncounted: { succeeded: ['uid-p0', 'uid-p1'], failed: ['uid-p2'] },
  });
  assert.deepEqual(
    release.map(({ metadata }) => metadata.name),
    ['p0', 'p1', 'p2'],
  );
});

test('remainingMs doubles with each failure in a row', () => {
  const fail = (record: ReturnType<typeof recordEnds>) => recordEnds(record, jobOf(), [], podsOf(failed), nowMs);
  const once = fail(undefined);
  const twice = fail(once);
  assert.equal(remainingMs(once ?? { failures: 0, lastMs: 0 }, nowMs), 10_000);
  assert.equal(remainingMs(twice ?? { failures: 0, lastMs: 0 }, nowMs + 5000), 15_000);
  assert.equal(recordEnds(twice, jobOf(), podsOf(succeeded), [], nowMs + 1), undefined);
});
