import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, ReplicaSet } from '@kubernode/api/apps/v1';
import { beyondHistory, isScaling, rollingStep, scaleStep, type Scale } from './decide.ts';

interface SetSketch {
  readonly size: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
}

function setOf(name: string, { size, available = size, desired, max }: SetSketch): ReplicaSet {
  const annotations = {
    ...(desired === undefined ? {} : { 'deployment.kubernetes.io/desired-replicas': String(desired) }),
    ...(max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }),
  };
  const creationTimestamp = `2026-01-01T00:00:0${name.length}Z`;
  return {
    metadata: { name, annotations, creationTimestamp, generation: 1 },
    spec: { replicas: size },
    status: { replicas: size, availableReplicas: available, observedGeneration: 1 },
  } as unknown as ReplicaSet;
}

function deploymentOf(
  replicas: number,
  rollingUpdate: object = { maxSurge: '25%', maxUnavailable: '25%' },
): Deployment {
  const spec = { replicas, strategy: { type: 'RollingUpdate', rollingUpdate }, revisionHistoryLimit: 1 };
  return { metadata: { name: 'web' }, spec, status: {} } as unknown as Deployment;
}

const told = (scales: readonly Scale[]) => scales.map(({ set, to }) => `${set.metadata.name}=${to}`).join(' ');

const exact = { maxSurge: 1, maxUnavailable: 0 };
const steps: readonly [
  what: string,
  limits: object | undefined,
  wanted: number,
  fresh: SetSketch,
  old: SetSketch[],
  told: string,
][] = [
  ['grows the new set by the surge', undefined, 4, { size: 0 }, [{ size: 4 }], 'new=1'],
  ['shrinks the old one by what may miss', undefined, 4, { size: 1 }, [{ size: 4 }], 'o=2'],
  ['waits for the new pods', exact, 4, { size: 1, available: 0 }, [{ size: 4 }], ''],
  [
    'ends old pods that are not available first',
    exact,
    4,
    { size: 1, available: 1 },
    [{ size: 4, available: 3 }],
    'o=3',
  ],
  ['ends the elder set first', exact, 2, { size: 1 }, [{ size: 1 }, { size: 1 }], 'o=0'],
  ['shrinks a new set that is too large', undefined, 2, { size: 5 }, [], 'new=2'],
];

for (const [what, limits, wanted, fresh, old, expected] of steps) {
  test(`rollingStep ${what}`, () => {
    const sets = { fresh: setOf('new', fresh), old: old.map((set, index) => setOf('o'.repeat(index + 1), set)) };
    assert.equal(told(rollingStep(deploymentOf(wanted, limits), sets)), expected);
  });
}

const scales: readonly [what: string, wanted: number, fresh: SetSketch, old: SetSketch[], told: string][] = [
  ['sizes the only active set', 5, { size: 3, desired: 3, max: 4 }, [{ size: 0 }], 'new=5'],
  ['ends old sets once the new one is whole', 3, { size: 3, desired: 3, max: 4 }, [{ size: 1 }], 'o=0'],
  // 10 + 25% = 13 in all; doubled to 20 + 25% = 25.
  ['grows in proportion', 20, { size: 3, desired: 10, max: 13 }, [{ size: 10, desired: 10, max: 13 }], 'o=19 new=6'],
  ['shrinks in proportion', 5, { size: 3, desired: 10, max: 13 }, [{ size: 10, desired: 10, max: 13 }], 'o=5 new=2'],
];

for (const [what, wanted, fresh, old, expected] of scales) {
  test(`scaleStep ${what}`, () => {
    const sets = { fresh: setOf('new', fresh), old: old.map((set, index) => setOf('o'.repeat(index + 1), set)) };
    assert.equal(told(scaleStep(deploymentOf(wanted), sets)), expected);
  });
}

test('isScaling tells a new size from a rollout', () => {
  const fresh = setOf('new', { size: 3, desired: 3 });
  assert.equal(isScaling(deploymentOf(3), { fresh, old: [] }), false);
  assert.equal(isScaling(deploymentOf(4), { fresh, old: [] }), true);
});

test('beyondHistory takes the oldest revisions without pods', () => {
  const old = [setOf('a', { size: 0 }), setOf('bb', { size: 2 }), setOf('ccc', { size: 0 })];
  const forgotten = beyondHistory(deploymentOf(3), old, ({ metadata }) => metadata.name.length);
  assert.deepEqual(
    forgotten.map(({ metadata }) => metadata.name),
    ['a'],
  );
});
