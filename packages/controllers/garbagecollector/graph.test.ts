import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import { OwnerGraph } from './graph.ts';

function graphWithLog() {
  const log: string[] = [];
  const graph = new OwnerGraph({
    toCheck: (uid) => log.push(`check ${uid}`),
    toOrphan: (uid) => log.push(`orphan ${uid}`),
    invalidNamespace: ({ identity }, owner) => log.push(`invalid ${identity.uid} of ${owner.uid}`),
  });
  return { graph, told: () => log.splice(0) };
}

interface Options {
  readonly owners?: readonly string[];
  readonly blocking?: boolean;
  readonly namespace?: string;
  readonly finalizer?: string;
}

function object(uid: string, { owners = [], blocking = false, namespace = 'default', finalizer }: Options = {}) {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: owner,
    blockOwnerDeletion: blocking,
  }));
  const deletion = finalizer ? { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] } : {};
  const metadata = { name: uid, uid, namespace, ownerReferences, ...deletion };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata } as KubernetesObject;
}

test('OwnerGraph checks dependents when their owner goes', () => {
  const { graph, told } = graphWithLog();
  graph.observe(object('owner'));
  graph.observe(object('child', { owners: ['owner'] }));
  assert.deepEqual(told(), []);
  graph.remove('owner');
  assert.deepEqual(told(), ['check child']);
});

test('OwnerGraph asks for an owner that it has not seen', () => {
  const { graph, told } = graphWithLog();
  graph.observe(object('child', { owners: ['owner'] }));
  assert.deepEqual(told(), ['check owner']);
  graph.observe(object('owner'));
  assert.equal(graph.get('owner')?.isVirtual, false);
  assert.equal(graph.get('owner')?.dependents.size, 1);
});

test('OwnerGraph tells of owners in another namespace, whichever comes first', () => {
  for (const order of [
    ['owner', 'child'],
    ['child', 'owner'],
  ]) {
    const { graph, told } = graphWithLog();
    for (const uid of order)
      graph.observe(uid === 'owner' ? object('owner', { namespace: 'other' }) : object('child', { owners: ['owner'] }));
    assert.ok(told().includes('invalid child of owner'));
  }
});

test('OwnerGraph starts a deletion in the foreground, and goes on when a dependent goes', () => {
  const { graph, told } = graphWithLog();
  graph.observe(object('owner'));
  graph.observe(object('child', { owners: ['owner'], blocking: true }));
  graph.observe(object('owner', { finalizer: 'foregroundDeletion' }));
  assert.deepEqual(told(), ['check child', 'check owner']);
  graph.remove('child');
  assert.deepEqual(told(), ['check owner']);
});

test('OwnerGraph goes on when a dependent stops to block', () => {
  const { graph, told } = graphWithLog();
  graph.observe(object('owner', { finalizer: 'foregroundDeletion' }));
  graph.observe(object('child', { owners: ['owner'], blocking: true }));
  told();
  graph.observe(object('child', { owners: ['owner'] }));
  assert.deepEqual(told(), ['check owner']);
});

test('OwnerGraph lets dependents go where they are to be orphaned', () => {
  const { graph, told } = graphWithLog();
  graph.observe(object('owner', { finalizer: 'orphan' }));
  assert.deepEqual(told(), ['orphan owner']);
});

test('OwnerGraph forgets an owner that nobody names any more', () => {
  const { graph } = graphWithLog();
  graph.observe(object('child', { owners: ['ghost'] }));
  graph.remove('child');
  assert.equal(graph.get('ghost'), undefined);
});
