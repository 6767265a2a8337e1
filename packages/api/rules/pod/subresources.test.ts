import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, ResourceRequirements } from '../../generated/types/core/v1.ts';
import { prepareResize, resizeUpdate } from './subresources.ts';

const podWith = (resources?: ResourceRequirements): Pod =>
  ({
    metadata: { name: 'p', namespace: 'default' },
    spec: {
      containers: [{ name: 'c', image: 'example.com/app:1', resources: { requests: { cpu: '100m' } } }],
      ...(resources ? { resources } : {}),
    },
    status: {},
  }) as unknown as Pod;

const old = { requests: { cpu: '1', 'hugepages-2Mi': '2Mi' }, limits: { cpu: '2', 'hugepages-2Mi': '2Mi' } };
const huge = { 'hugepages-2Mi': '2Mi' };
const podLevelOnly = 'only cpu and memory resources are mutable at pod-level';

test("prepareResize takes over the pod's own resources, completes them, and keeps those left out", () => {
  const own = (wanted?: ResourceRequirements, before?: ResourceRequirements) =>
    prepareResize(podWith(wanted), podWith(before)).spec.resources;
  assert.deepEqual(own({ requests: { cpu: '3' } }, { requests: { cpu: '1' } }), { requests: { cpu: '3' } });
  assert.deepEqual(own(undefined, { requests: { cpu: '1' } }), { requests: { cpu: '1' } });
  assert.deepEqual(own({ limits: { memory: '1Gi' } })?.requests, { cpu: '100m', memory: '1Gi' });
  assert.equal(own(), undefined);
});

test('resizeUpdate lets cpu and memory of the pod change, and nothing of it go', () => {
  const cases: [ResourceRequirements, string[]][] = [
    [{ requests: { cpu: '2', ...huge }, limits: { cpu: '2', ...huge } }, []],
    [{ requests: { cpu: '1', ...huge }, limits: huge }, ['pod-level resource limits cannot be removed']],
    [{ requests: { cpu: '1', 'hugepages-2Mi': '4Mi' }, limits: { cpu: '2', 'hugepages-2Mi': '4Mi' } }, [podLevelOnly]],
  ];
  for (const [now, expected] of cases) {
    const details = resizeUpdate(podWith(now), podWith(old)).map(({ message }) => message ?? '');
    const ofPod = details.filter((message) => message.includes('pod-level'));
    assert.equal(ofPod.length, expected.length, details.join('\n'));
    expected.forEach((text, index) => assert.ok(ofPod[index]?.includes(text), details.join('\n')));
  }
});

test('resizeUpdate refuses empty resources where there were none', () => {
  const messages = resizeUpdate(prepareResize(podWith({}), podWith()), podWith()).map(({ message }) => message ?? '');
  assert.ok(messages.some((message) => message.endsWith('only cpu and memory resources are mutable')));
});
