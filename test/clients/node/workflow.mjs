/**
 * `@kubernetes/client-node`, unchanged: an informer, a watch, server-side apply, patches and objects of any kind.
 *
 * Usage: workflow.mjs NAMESPACE     (cluster and user from $KUBECONFIG)
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';

const waitMs = 10_000;
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const namespace = process.argv[2];
const configMap = (name, data, labels) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...(labels ? { labels } : {}) },
  data,
});

async function until(what, isDone) {
  for (const deadlineMs = Date.now() + waitMs; !(await isDone()); await delay(10)) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain for: ${what}`);
  }
}

async function informer() {
  await core.createNamespacedConfigMap({ namespace, body: configMap('before', { a: '1' }, { mine: 'yes' }) });
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'mine=yes' });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const following = k8s.makeInformer(config, path, list, 'mine=yes');
  const seen = [];
  for (const verb of ['add', 'update', 'delete']) {
    following.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata.name}`));
  }
  let failure;
  following.on('error', (error) => (failure = error));
  await following.start();
  await core.createNamespacedConfigMap({ namespace, body: configMap('after', { a: '1' }, { mine: 'yes' }) });
  await core.createNamespacedConfigMap({ namespace, body: configMap('other', {}) });
  const current = await core.readNamespacedConfigMap({ name: 'after', namespace });
  current.data = { a: '2' };
  await core.replaceNamespacedConfigMap({ name: 'after', namespace, body: current });
  await until('the update in the cache', () => following.get('after', namespace)?.data.a === '2');
  await core.deleteNamespacedConfigMap({ name: 'before', namespace });
  await until('the deletion', () => seen.includes('delete before'));
  assert.deepEqual(seen, ['add before', 'add after', 'update after', 'delete before']);
  assert.deepEqual(
    following.list(namespace).map(({ metadata }) => metadata.name),
    ['after'],
  );
  await following.stop();
  assert.equal(failure, undefined);
}

async function apply() {
  const patch = (data, fieldManager, force) =>
    objects.patch(
      configMap('shared', data),
      undefined,
      undefined,
      fieldManager,
      force,
      k8s.PatchStrategy.ServerSideApply,
    );
  assert.deepEqual((await patch({ a: '1' }, 'one')).data, { a: '1' });
  await assert.rejects(patch({ a: '2' }, 'two'), (error) => {
    assert.equal(error.code, 409);
    assert.match(JSON.stringify(error.body), /Apply failed with 1 conflict: conflict with .*one.*: \.data\.a/);
    return true;
  });
  assert.deepEqual((await patch({ a: '2', b: '3' }, 'two', true)).data, { a: '2', b: '3' });
  assert.deepEqual((await patch({ a: '2' }, 'two')).data, { a: '2' });
}

async function workload() {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'web' }, spec } });
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const ready = Promise.withResolvers();
  const following = await new k8s.Watch(config).watch(
    path,
    { fieldSelector: 'metadata.name=web' },
    (_type, { status }) => status?.readyReplicas === 2 && ready.resolve(),
    (error) => ready.reject(error),
  );
  const patch = [{ op: 'replace', path: '/spec/replicas', value: 2 }];
  const scaled = await apps.patchNamespacedDeployment(
    { name: 'web', namespace, body: patch },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch),
  );
  assert.equal(scaled.spec.replicas, 2);
  await ready.promise;
  following.abort();
  await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' });
  await until('the end of its pods', async () => (await core.listNamespacedPod({ namespace })).items.length === 0);
}

async function refusals() {
  await assert.rejects(core.readNamespacedPod({ name: 'nobody', namespace }), ({ code, body }) => {
    assert.equal(code, 404);
    assert.match(JSON.stringify(body), /pods .*nobody.* not found/);
    return true;
  });
  const bad = { metadata: { name: 'Bad_Name' } };
  await assert.rejects(core.createNamespacedConfigMap({ namespace, body: bad }), { code: 422 });
}

await core.createNamespace({ body: { metadata: { name: namespace } } });
await informer();
await apply();
await workload();
await refusals();
await core.deleteNamespace({ name: namespace });
console.log('ok');
