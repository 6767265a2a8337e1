import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatefulSet } from '@kubernode/api/apps/v1';
import { nowMs, podOf, type PodSketch } from '../testing/objects.ts';
import { placesOf, scalePlan, updateDeletions } from './decide.ts';

function setOf(spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return { metadata: { name: 'web' }, spec: { replicas: 3, updateStrategy: {}, ...spec }, status: {} } as StatefulSet;
}

type Pods = Record<number, PodSketch>;

const podsOf = (pods: Pods) => Object.entries(pods).map(([ordinal, sketch]) => podOf(`web-${ordinal}`, sketch));

function stepsOf(set: StatefulSet, pods: Pods): string {
  const { steps, isSettled } = scalePlan(set, placesOf(set, podsOf(pods)), nowMs);
  const told = steps
    .filter((step) => step.do !== 'mend')
    .map((step) => (step.do === 'create' ? `create ${step.ordinal}` : `delete ${step.pod.metadata.name}`));
  return [...told, ...(isSettled ? ['settled'] : [])].join(', ');
}

const parallel = { podManagementPolicy: 'Parallel' } as const;
const waiting = { phase: 'Pending' } as const;

const plans: readonly [what: string, spec: Partial<StatefulSet['spec']>, pods: Pods, steps: string][] = [
  ['makes the first pod', {}, {}, 'create 0'],
  ['waits for the first pod', {}, { 0: waiting }, ''],
  ['goes on with the next', {}, { 0: {} }, 'create 1'],
  ['waits for minReadySeconds', { minReadySeconds: 90 }, { 0: {} }, ''],
  ['is done', {}, { 0: {}, 1: {}, 2: {} }, 'settled'],
  ['fills a gap', {}, { 0: {}, 2: {} }, 'create 1'],
  ['makes all in parallel', parallel, { 1: waiting }, 'create 0, create 2'],
  ['replaces one that failed', {}, { 0: { phase: 'Failed' }, 1: {} }, 'delete web-0'],
  ['waits for one that goes', {}, { 0: { deleted: true } }, ''],
  ['ends the highest', { replicas: 1 }, { 0: {}, 1: {}, 2: {} }, 'delete web-2'],
  ['ends the lowest unhealthy one at once', { replicas: 1 }, { 0: {}, 1: waiting }, 'delete web-1'],
  [
    'ends all in parallel',
    { ...parallel, replicas: 1 },
    { 0: {}, 1: {}, 2: {} },
    'delete web-2, delete web-1, settled',
  ],
  ['moves with the first ordinal', { ...parallel, replicas: 1, ordinals: { start: 4 } }, { 5: {} }, 'create 4'],
];

for (const [what, spec, pods, steps] of plans) {
  test(`scalePlan ${what}`, () => assert.equal(stepsOf(setOf(spec), pods), steps));
}

const old = { labels: { 'controller-revision-hash': 'old' } };
const fresh = { labels: { 'controller-revision-hash': 'new' } };
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } as const });

const updates: readonly [what: string, spec: Partial<StatefulSet['spec']>, pods: Pods, deleted: string][] = [
  ['begins at the highest', {}, { 0: old, 1: old, 2: old }, 'web-2'],
  ['goes down', {}, { 0: old, 1: old, 2: fresh }, 'web-1'],
  ['waits for the new one', {}, { 0: old, 1: old, 2: { ...fresh, ready: false } }, ''],
  ['stops at the partition', rolling({ partition: 2 }), { 0: old, 1: old, 2: fresh }, ''],
  ['takes several', rolling({ maxUnavailable: 2 }), { 0: old, 1: old, 2: old }, 'web-2 web-1'],
  ['leaves it to the user', { updateStrategy: { type: 'OnDelete' } }, { 0: old, 1: old, 2: old }, ''],
];

for (const [what, spec, pods, deleted] of updates) {
  test(`updateDeletions ${what}`, () => {
    const set = setOf(spec);
    const found = updateDeletions(set, placesOf(set, podsOf(pods)), 'new', nowMs);
    assert.equal(found.map(({ metadata }) => metadata.name).join(' '), deleted);
  });
}
