import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { applyDefaults } from './defaults.ts';

test('applyDefaults fills in what the facts declare, at every depth', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }];
  const deployment = { spec: { template: { spec: { containers: [{ ports }] } } } };
  applyDefaults(deployment, shapeOf('apps/v1.Deployment'));
  assert.deepEqual(deployment.spec.template.spec.containers[0]?.ports, [
    { containerPort: 80, protocol: 'TCP' },
    { containerPort: 53, protocol: 'UDP' },
  ]);
});

test('applyDefaults keeps a zero that a pointer holds', () => {
  const shape = shapeOf('core/v1.ReplicationController');
  const [absent, zero] = [{ spec: {} }, { spec: { replicas: 0 } }];
  applyDefaults(absent, shape);
  applyDefaults(zero, shape);
  assert.deepEqual([absent.spec, zero.spec], [{ replicas: 1 }, { replicas: 0 }]);
});

test('applyDefaults never shares a default', () => {
  const shape = shapeOf('scheduling.k8s.io/v1beta1.PodGroup');
  const [one, two]: { spec: { disruptionMode?: object } }[] = [{ spec: {} }, { spec: {} }];
  applyDefaults(one, shape);
  applyDefaults(two, shape);
  assert.deepEqual(one?.spec.disruptionMode, { single: {} });
  assert.notEqual(one?.spec.disruptionMode, two?.spec.disruptionMode);
});
