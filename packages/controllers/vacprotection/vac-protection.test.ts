import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolumeClaim } from '@kubernode/api/core/v1';
import { testObject } from '../shared/testing.ts';
import { classesOfClaim } from './vac-protection.ts';

test('classesOfClaim names each class once: asked for, held, and on the way', () => {
  const claim = testObject<PersistentVolumeClaim>({
    metadata: { name: 'c', namespace: 'n' },
    spec: { volumeAttributesClassName: 'new' },
    status: {
      currentVolumeAttributesClassName: 'old',
      modifyVolumeStatus: { status: 'Pending', targetVolumeAttributesClassName: 'new' },
    },
  });
  assert.deepEqual(classesOfClaim(claim), ['new', 'old']);
});
