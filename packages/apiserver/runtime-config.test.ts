import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isServed, parseRuntimeConfig } from './runtime-config.ts';

test('parseRuntimeConfig reads what is served, and what is not', () => {
  const text = 'api/all=true,api/v1=true,batch/v1=false,resource.k8s.io/v1beta1/deviceclasses,api/beta=false';
  assert.deepEqual(parseRuntimeConfig(text), {
    'api/all': true,
    'api/v1': true,
    'batch/v1': false,
    'resource.k8s.io/v1beta1/deviceclasses': true,
    'api/beta': false,
  });
  assert.deepEqual(parseRuntimeConfig(''), {});
});

test('parseRuntimeConfig refuses by name what there is not', () => {
  for (const [text, message] of [
    ['magic/v1=true', /unknown api groups magic$/],
    ['batch/v9=true', /group version batch\/v9 that has not been registered/],
    ['batch/v1/jobz=true', /no resource jobz in batch\/v1/],
    ['__proto__/v1', /unknown api groups __proto__/],
    ['batch', /invalid key batch/],
    ['api/all=perhaps', /"api\/all=perhaps" is not understood/],
  ] as const) {
    assert.throws(() => parseRuntimeConfig(text), message);
  }
});

const gated = [
  ['scheduling.k8s.io', 'v1beta1', 'workloads', 'GenericWorkload'],
  ['scheduling.k8s.io', 'v1alpha3', 'compositepodgroups', 'CompositePodGroup'],
  ['lifecycle.k8s.io', 'v1alpha1', 'evictionrequests', 'EvictionRequestAPI'],
] as const;

for (const [group, version, plural, gate] of gated)
  test(`isServed has ${plural} with its gate, by whole stages or by its own entry`, () => {
    const resource = { group, version, plural, servedByDefault: false };
    const stage = version.includes('alpha') ? 'api/alpha' : 'api/beta';
    const served = (config: object, on: boolean) =>
      isServed(resource, config as Record<string, boolean>, (name) => on && name === gate);
    assert.deepEqual([served({ 'api/all': true }, false), served({ 'api/all': true }, true)], [false, true]);
    assert.deepEqual([served({ [stage]: true }, false), served({ [stage]: true }, true)], [false, true]);
    assert.deepEqual([served({}, true), served({ [`${group}/${version}`]: true }, true)], [false, true]);
    assert.equal(served({ [`${group}/${version}`]: false, 'api/all': true }, true), false);
  });
