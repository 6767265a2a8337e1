import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { featureGates } from './gate-specs.ts';
import { notSaidYet, validateShape } from './shape.ts';

const said = (causes: readonly { reason: string; field: string }[]) =>
  causes.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);

const judge = (type: string, object: unknown, old?: unknown, gates: Record<string, boolean> = {}) =>
  said(validateShape(object, shapeOf(type), old, featureGates(gates)));

const claimSpec = 'resource.k8s.io/v1.DeviceClaim';
const request = (name: string) => ({ name, exactly: { deviceClassName: 'a', allocationMode: 'All' } });

test('validateShape checks what is required, formats, closed sets and limits', () => {
  const toleration = { key: '!', operator: 'Like', effect: 'NoSchedule' };
  const exactly = { deviceClassName: '', allocationMode: 'Some', tolerations: [toleration] };
  assert.deepEqual(judge(claimSpec, { requests: [{ name: 'a', exactly }] }), [
    'NotSupported requests[0].exactly.allocationMode',
    'Invalid requests[0].exactly.tolerations[0].key',
    'NotSupported requests[0].exactly.tolerations[0].operator',
  ]);
  const many = Array.from({ length: 33 }, (_, index) => request(`r${index}`));
  assert.deepEqual(judge(claimSpec, { requests: many }), ['TooMany requests']);
});

test('validateShape wants exactly one of a union', () => {
  const type = 'resource.k8s.io/v1.DeviceAttribute';
  assert.deepEqual(judge(type, { int: 0 }), []);
  assert.deepEqual(judge(type, {}), ['Invalid <nil>']);
  assert.deepEqual(judge(type, { int: 1, bool: false }), ['Invalid <nil>']);
  assert.deepEqual(judge(type, { int: 1, bool: false }, { int: 2, bool: true }), []);
});

test('validateShape takes no item of a keyed list twice', () => {
  assert.deepEqual(judge(claimSpec, { requests: [request('a'), request('b'), request('a')] }), [
    'Duplicate requests[2]',
  ]);
});

test('validateShape leaves alone what an update did not change', () => {
  const broken = { name: 'a', exactly: { deviceClassName: '', allocationMode: 'All' } };
  assert.deepEqual(judge(claimSpec, { requests: [broken] }, { requests: [broken] }), []);
  assert.deepEqual(judge(claimSpec, { requests: [request('b'), broken] }, { requests: [broken] }), []);
});

test('validateShape follows a mode to what belongs to it', () => {
  const type = 'flowcontrol.apiserver.k8s.io/v1.PriorityLevelConfigurationSpec';
  assert.deepEqual(judge(type, { type: 'Limited' }), ['Required limited']);
  const limited = { limitResponse: { type: 'Reject' } };
  assert.deepEqual(judge(type, { type: 'Exempt', limited }), ['Forbidden limited']);
});

test('validateShape holds updates to what they may set, add and remove', () => {
  const type = 'scheduling.k8s.io/v1beta1.WorkloadSpec';
  const template = (name: string) => ({ name, schedulingPolicy: { basic: {} } });
  const old = { podGroupTemplates: [template('a'), template('b')] };
  assert.deepEqual(judge(type, { podGroupTemplates: [template('a'), template('c')] }, old), [
    'Forbidden podGroupTemplates[1]',
    'Forbidden podGroupTemplates',
  ]);
  const group = 'scheduling.k8s.io/v1beta1.PodGroupSchedulingPolicy';
  assert.deepEqual(judge(group, { basic: {} }, { gang: { minCount: 1 } }), ['Invalid basic', 'Invalid gang']);
});

test('validateShape asks the feature gates where a marker does', () => {
  const type = 'autoscaling/v2.HorizontalPodAutoscalerSpec';
  const spec = { scaleTargetRef: { kind: 'a', name: 'b' }, minReplicas: 0, maxReplicas: 1 };
  assert.deepEqual(judge(type, spec, undefined, { HPAScaleToZero: false }), ['Invalid minReplicas']);
  assert.deepEqual(judge(type, spec, undefined, { HPAScaleToZero: true }), []);
});

test('notSaidYet drops what the facts said of the same field', () => {
  const cause = (field: string) => ({ reason: 'FieldValueInvalid', message: '', field });
  assert.deepEqual(notSaidYet([cause('a'), cause('b')], [cause('a')]), [cause('b')]);
});

test('validateShape judges all of what was not there before', () => {
  const type = 'resource.k8s.io/v1alpha3.ResourcePoolStatusRequest';
  const object = { spec: { driver: 'a.example.com' }, status: { conditions: [] } };
  assert.deepEqual(judge(type, object, { spec: object.spec }), ['Required status.poolCount']);
  assert.deepEqual(judge(type, { ...object, status: { conditions: [], pools: [] } }, object), []);
});
