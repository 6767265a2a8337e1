/** An operator made with controller-runtime, unchanged: its manager, reconciler, cache, webhooks and conversion. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { goProgram } from './clients-programs.ts';
import { until, type RunningProcess } from './process.ts';

const { path, skip } = goProgram('manager');
const group = 'shop.example.com';
const namespace = 'shop';
const v1 = `/apis/${group}/v1/namespaces/${namespace}/cakes`;
const v1beta1 = `/apis/${group}/v1beta1/namespaces/${namespace}/cakes`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
let server: ClientsServer;
let manager: RunningProcess;
let port: number;

interface Cake {
  readonly metadata: { readonly generation: number; readonly finalizers?: readonly string[] };
  readonly spec: { readonly layers: readonly string[] | string; readonly size: string };
  readonly status?: {
    readonly baked: number;
    readonly observedGeneration: number;
    readonly conditions: readonly { type: string; status: string }[];
  };
}

const get = <T = Cake>(path: string) => server.admin.request<T>({ method: 'GET', path });
const create = (path: string, body: object) => server.admin.request<Cake>({ method: 'POST', path, body });
const merge = (path: string, body: object) =>
  server.admin.request<Cake>({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
const remove = (path: string) => server.admin.request({ method: 'DELETE', path });
const cake = (version: string, name: string, spec: object, annotations = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: 'Cake',
  metadata: { name, namespace, annotations },
  spec,
});
const isMissing = (path: string) =>
  get(path).then(
    () => false,
    (error: StatusError) => error.code === 404,
  );
/** The manager's own words. */
const described = () => `${manager.stdout()}${manager.stderr()}`.slice(-4000);

const text = { type: 'string' };
const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const version = (name: string, layers: object, storage: boolean) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { layers, size: text } }, status },
    },
  },
});

function clientConfig(path: string): object {
  const caBundle = Buffer.from(server.pki.clusterCa.certificate).toString('base64');
  return { url: `https://127.0.0.1:${port}${path}`, caBundle };
}

function webhook(kind: 'Mutating' | 'Validating', path: string, operations: readonly string[]): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'cakes' },
    webhooks: [
      {
        name: `cakes.${group}`,
        clientConfig: clientConfig(path),
        rules: [{ apiGroups: [group], apiVersions: ['v1'], operations, resources: ['cakes'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        // Requests by v1beta1 are converted for it.
        matchPolicy: 'Equivalent',
      },
    ],
  };
}

before(async () => {
  if (skip) return;
  server = await startClientsServer();
  port = await freePort();
  const { certificate, key } = server.pki.serving;
  writeFileSync(join(server.folder, 'tls.crt'), certificate);
  writeFileSync(join(server.folder, 'tls.key'), key);
  await create('/api/v1/namespaces', { metadata: { name: namespace } });
  await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `cakes.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'cakes', singular: 'cake', kind: 'Cake', listKind: 'CakeList' },
      versions: [version('v1', { type: 'array', items: text }, true), version('v1beta1', text, false)],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: clientConfig('/convert'), conversionReviewVersions: ['v1'] },
      },
    },
  });
  await until('the kind served', async () => !(await isMissing(v1)));
  manager = server.start(path, [namespace, String(port), server.folder]);
  await manager.waitFor(/leads/);
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const suffix = 'shop-example-com-v1-cake';
  const mutating = webhook('Mutating', `/mutate-${suffix}`, ['CREATE', 'UPDATE']);
  await create(`${admission}/mutatingwebhookconfigurations`, mutating);
  const validating = webhook('Validating', `/validate-${suffix}`, ['CREATE', 'UPDATE', 'DELETE']);
  await create(`${admission}/validatingwebhookconfigurations`, validating);
});
after(() => server?.stop());

test('controller-runtime: a reconciler makes what its object asks for, and tells its status', { skip }, async () => {
  const created = await create(v1, cake('v1', 'plain', { layers: ['a', 'b'] }));
  assert.equal(created.spec.size, 'medium');
  const isReady = async (layers: number) => {
    const { status, metadata } = await get(`${v1}/plain`);
    return status?.baked === layers && status.observedGeneration === metadata.generation;
  };
  await until('two plates', () => isReady(2), 10_000, described);
  const baked = await get(`${v1}/plain`);
  assert.deepEqual(baked.metadata.finalizers, [`${group}/plates`]);
  assert.deepEqual(
    baked.status?.conditions.map(({ type, status }) => `${type} ${status}`),
    ['Ready True'],
  );
  await merge(`${v1}/plain`, { spec: { layers: ['a', 'b', 'c'] } });
  await until('three plates', () => isReady(3), 10_000, described);
  // What it owns is made again.
  await remove(`${configMaps}/plain-1`);
  await until('the plate made again', async () => !(await isMissing(`${configMaps}/plain-1`)), 10_000, described);
});

test('controller-runtime: its webhooks turn away, on each verb', { skip }, async () => {
  const denied = (message: string) => ({
    code: 403,
    message: `admission webhook "cakes.${group}" denied the request: ${message}`,
  });
  await assert.rejects(create(v1, cake('v1', 'bare', {})), denied('a cake has layers'));
  await create(v1, cake('v1', 'kept', { layers: ['a'], size: 'small' }, { keep: 'yes' }));
  const grown = merge(`${v1}/kept`, { spec: { size: 'large' } });
  await assert.rejects(grown, denied('the size of kept cannot change from small to large'));
  await assert.rejects(remove(`${v1}/kept`), denied('kept is to be kept'));
  await assert.rejects(create(v1beta1, cake('v1beta1', 'bare', {})), denied('a cake has layers'));
});

test('controller-runtime: its conversion webhook serves the other version', { skip }, async () => {
  const created = await create(v1beta1, cake('v1beta1', 'old', { layers: 'x,y' }));
  assert.deepEqual([created.spec.layers, created.spec.size], ['x,y', 'medium']);
  assert.deepEqual((await get(`${v1}/old`)).spec.layers, ['x', 'y']);
  await merge(`${v1beta1}/old`, { spec: { layers: 'x,y,z' } });
  await until('three plates', async () => (await get(`${v1}/old`)).status?.baked === 3, 10_000, described);
  const { items } = await get<{ items: readonly Cake[] }>(v1beta1);
  assert.ok(items.length > 1 && items.every(({ spec }) => typeof spec.layers === 'string'));
});

test(
  'controller-runtime: its finalizer runs before the object goes, and what it owned goes too',
  { skip },
  async () => {
    await remove(`${v1}/plain`);
    await until('its end', () => isMissing(`${v1}/plain`), 10_000, described);
    assert.equal(await isMissing(`${configMaps}/eaten-plain`), false);
    await until('the end of its plates', () => isMissing(`${configMaps}/plain-0`), 10_000);
  },
);

test('controller-runtime: a second manager takes over when the first one ends', { skip }, async () => {
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/cakes.${group}`;
  interface Lease {
    readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
  }
  const first = (await get<Lease>(lease)).spec.holderIdentity;
  manager.signal('SIGTERM');
  const { code, stdout } = await manager.outcome;
  assert.deepEqual([code, /ended/.test(stdout)], [0, true], described());
  manager = server.start(path, [namespace, String(port), server.folder]);
  await manager.waitFor(/leads/);
  const second = (await get<Lease>(lease)).spec.holderIdentity;
  assert.ok(second && second !== first);
  await create(v1, cake('v1', 'late', { layers: ['a'] }));
  await until('a plate', async () => (await get(`${v1}/late`)).status?.baked === 1, 10_000, described);
});

/** One that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
