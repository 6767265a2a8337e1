import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userNamed } from '../../authentication/groups.ts';
import { MemoryState } from '../../memory-state.ts';
import type { Attributes } from '../../seams.ts';
import { createNodeAuthorizer } from './node.ts';

const attributes = (verb: string, resource: string, name = '', more: Partial<Attributes> = {}): Attributes => {
  const [group = '', plural = ''] = resource.includes('/') ? resource.split('/') : ['', resource];
  const common = { version: 'v1', subresource: '', namespace: 'a', path: '' };
  return { ...common, verb, group, resource: plural, name, ...more };
};

function cluster(): MemoryState {
  const state = new MemoryState();
  state.put('', 'pods', {
    metadata: { name: 'p', namespace: 'a' },
    spec: {
      nodeName: 'n1',
      serviceAccountName: 'sa',
      containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'used' } }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
    },
  });
  state.put('', 'persistentvolumes', {
    metadata: { name: 'pv' },
    spec: {
      claimRef: { name: 'claim', namespace: 'a' },
      csi: { nodePublishSecretRef: { name: 'key', namespace: 'b' } },
    },
  });
  return state;
}

test('createNodeAuthorizer lets a kubelet read what its pods need', () => {
  const state = cluster();
  const authorize = createNodeAuthorizer(state);
  const cases: [Attributes, boolean][] = [
    [attributes('get', 'secrets', 'used'), true],
    [attributes('watch', 'secrets', 'used'), true],
    [attributes('get', 'secrets', 'unused'), false],
    [attributes('list', 'secrets'), false],
    [attributes('update', 'secrets', 'used'), false],
    [attributes('get', 'persistentvolumeclaims', 'claim'), true],
    [attributes('get', 'persistentvolumes', 'pv', { namespace: '' }), true],
    [attributes('get', 'secrets', 'key', { namespace: 'b' }), true],
    [attributes('create', 'serviceaccounts', 'sa', { subresource: 'token' }), true],
    [attributes('create', 'serviceaccounts', 'other', { subresource: 'token' }), false],
    [attributes('list', 'pods', '', { fieldSelector: 'spec.nodeName=n1' }), true],
    [attributes('list', 'pods', '', { fieldSelector: 'spec.nodeName=n2' }), false],
    [attributes('get', 'pods', 'p'), true],
    [attributes('get', 'nodes', 'n1', { namespace: '' }), true],
    [attributes('get', 'nodes', 'n2', { namespace: '' }), false],
    [attributes('update', 'coordination.k8s.io/leases', 'n1', { namespace: 'kube-node-lease' }), true],
    [attributes('update', 'coordination.k8s.io/leases', 'n2', { namespace: 'kube-node-lease' }), false],
    [attributes('list', 'services'), true],
    [attributes('delete', 'services', 's'), false],
  ];
  for (const [wanted, allowed] of cases)
    assert.equal(authorize(userNamed('system:node:n1'), wanted).allowed, allowed, JSON.stringify(wanted));
  assert.equal(authorize(userNamed('system:node:n2'), attributes('get', 'secrets', 'used')).allowed, false);
  assert.equal(authorize(userNamed('alice'), attributes('list', 'services')).allowed, false);
});

test('createNodeAuthorizer forgets what a pod needed when it is gone', () => {
  const state = cluster();
  const authorize = createNodeAuthorizer(state);
  const read = () => authorize(userNamed('system:node:n1'), attributes('get', 'secrets', 'used')).allowed;
  assert.equal(read(), true);
  state.remove('', 'pods', 'p', 'a');
  assert.equal(read(), false);
});

test('createNodeAuthorizer gives nothing by mirror pods, and keeps what finished pods need', () => {
  const state = cluster();
  const authorize = createNodeAuthorizer(state);
  const pod = (name: string, more: object, annotations: object = {}) =>
    state.put('', 'pods', {
      metadata: { name, namespace: 'a', annotations },
      spec: { nodeName: 'n1', containers: [{ name: 'c', envFrom: [{ secretRef: { name } }] }] },
      ...more,
    });
  pod('mirror', {}, { 'kubernetes.io/config.mirror': 'x' });
  pod('done', { status: { phase: 'Succeeded' } });
  const reads = (secret: string) =>
    authorize(userNamed('system:node:n1'), attributes('get', 'secrets', secret)).allowed;
  assert.deepEqual([reads('mirror'), reads('done')], [false, true]);
});

test('createNodeAuthorizer lets a kubelet have its own certificate requests, slices and CSINode', () => {
  const state = cluster();
  state.put('certificates.k8s.io', 'podcertificaterequests', {
    metadata: { name: 'r', namespace: 'a' },
    spec: { nodeName: 'n1' },
  });
  const authorize = createNodeAuthorizer(state);
  const requests = 'certificates.k8s.io/podcertificaterequests';
  const own = { fieldSelector: 'spec.nodeName=n1' };
  const cases: [Attributes, string | true][] = [
    [attributes('get', requests, 'r'), true],
    [attributes('get', requests, 's'), "no relationship found between node 'n1' and this object"],
    [attributes('create', requests), true],
    [attributes('list', requests, '', own), true],
    [attributes('list', requests), 'can only list/watch podcertificaterequests with nodeName field selector'],
    [attributes('delete', requests, 'r'), 'nodes may not delete podcertificaterequests'],
    [attributes('list', 'resource.k8s.io/resourceslices', '', own), true],
    [
      attributes('update', 'storage.k8s.io/csinodes', 'n1', { subresource: 'status' }),
      'CSINode status access requires CSIVolumeHealth feature',
    ],
  ];
  for (const [wanted, expected] of cases) {
    const decision = authorize(userNamed('system:node:n1'), wanted);
    assert.equal(decision.allowed || decision.reason, expected);
  }
});
