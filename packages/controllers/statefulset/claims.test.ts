import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatefulSet } from '@kubernode/api/apps/v1';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import { podOf } from '../testing/objects.ts';
import { claimOwners } from './claims.ts';

type Fate = 'Retain' | 'Delete';

function setOf(whenDeleted: Fate, whenScaled: Fate): StatefulSet {
  const persistentVolumeClaimRetentionPolicy = { whenDeleted, whenScaled };
  const metadata = { name: 'web', uid: 'set' };
  return { metadata, spec: { replicas: 1, persistentVolumeClaimRetentionPolicy } } as unknown as StatefulSet;
}

const ownerOf = (uid: string, controller = true): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'X',
  name: uid,
  uid,
  controller,
});

// web-0 is one of the set's, web-1 beyond its size.
const cases: readonly [
  whenDeleted: Fate,
  whenScaled: Fate,
  pod: string,
  before: string[],
  after: string[] | undefined,
][] = [
  ['Retain', 'Retain', 'web-0', [], undefined],
  ['Retain', 'Retain', 'web-0', ['set'], []],
  ['Delete', 'Retain', 'web-0', [], ['set']],
  ['Delete', 'Retain', 'web-1', [], ['set']],
  ['Retain', 'Delete', 'web-0', [], undefined],
  ['Retain', 'Delete', 'web-1', [], ['uid-web-1']],
  ['Delete', 'Delete', 'web-0', ['set'], undefined],
  ['Delete', 'Delete', 'web-1', ['set'], ['uid-web-1']],
  ['Delete', 'Delete', 'web-0', ['stranger'], undefined],
];

for (const [whenDeleted, whenScaled, pod, before, after] of cases) {
  const what = `whenDeleted ${whenDeleted}, whenScaled ${whenScaled}, ${pod} with [${before.join(' ')}]`;
  test(`claimOwners with ${what}`, () => {
    const owners = claimOwners(
      setOf(whenDeleted, whenScaled),
      podOf(pod),
      before.map((uid) => ownerOf(uid)),
    );
    assert.deepEqual(
      owners?.map(({ uid }) => uid),
      after,
    );
  });
}
