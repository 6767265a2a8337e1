import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { startSecured } from '../../secured-testing.ts';
import { patch, startWebhook, type Answer, type SentReview } from './test-webhook.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
let cluster: Awaited<ReturnType<typeof startSecured>>;
let hook: Awaited<ReturnType<typeof startWebhook>>;

const answers: Readonly<Record<string, (review: SentReview) => Answer>> = {
  '/deny': () => ({ allowed: false, status: { message: 'not today', code: 403, reason: 'Forbidden' } }),
  '/plain-deny': () => ({ allowed: false }),
  '/warn': () => ({ warnings: ['careful'] }),
  '/other-uid': () => ({ uid: 'x' }),
  '/no-json': () => 'hello',
  '/label': () => patch({ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }),
  '/count': ({ request }) => {
    const seen = Object.keys(request.object?.metadata.labels ?? {}).length;
    return patch({ op: 'add', path: '/metadata/annotations', value: { labels: String(seen) } });
  },
  '/nulls': () => ({ ...patch(null as never), warnings: 5, auditAnnotations: 'x' }),
  '/list': () => ({ patchType: 'JSONPatch', patch: Buffer.from('{}').toString('base64') }),
  '/array': () => '[]',
  '/never': () => undefined,
};

before(async () => {
  cluster = await startSecured();
  hook = await startWebhook((review) => (answers[review.path] ?? (() => ({})))(review));
});
after(async () => {
  hook.close();
  await cluster.server.stop();
});

interface Configured {
  readonly type?: 'Mutating' | 'Validating';
  readonly path: string;
  readonly more?: object;
}

/** Configures one webhook for config maps; the answer ends it. */
async function configure(
  { type = 'Validating', path, more = {} }: Configured,
  name = 'a',
): Promise<() => Promise<unknown>> {
  const resource = `${group}/${type.toLowerCase()}webhookconfigurations`;
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: hook.clientConfig(path),
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 2,
    ...more,
  };
  const head = { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${type}WebhookConfiguration` };
  await cluster.create(resource, { ...head, metadata: { name }, webhooks: [webhook] });
  hook.reviews.length = 0;
  return () => cluster.admin.request({ method: 'DELETE', path: `${resource}/${name}` });
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '<b>' } };
const createMap = (body: object = configMap) =>
  cluster.create<ConfigMap>('/api/v1/namespaces/default/configmaps', body, { dryRun: 'All' });

const calling = 'Internal error occurred: failed calling webhook "a.example.com": ';
const refusals: readonly [string, Configured, number, RegExp | string][] = [
  ['denies', { path: '/deny' }, 403, 'admission webhook "a.example.com" denied the request: not today'],
  ['denies', { path: '/plain-deny' }, 400, 'admission webhook "a.example.com" denied the request without explanation'],
  ['answers another review', { path: '/other-uid' }, 500, /received invalid webhook response: expected response\.uid=/],
  ['speaks no JSON', { path: '/no-json' }, 500, /failed to call webhook: couldn't get version\/kind; json parse error/],
  [
    'validates and patches',
    { path: '/label' },
    500,
    `${calling}received invalid webhook response: validating webhook may not return response.patch`,
  ],
  [
    'has side effects',
    { path: '/warn', more: { sideEffects: 'NoneOnDryRun', admissionReviewVersions: ['v9', 'v1'] } },
    0,
    '',
  ],
  [
    'cannot be reached',
    { path: '/', more: { clientConfig: { url: 'https://127.0.0.1:1/x' } } },
    500,
    `${calling}failed to call webhook: Post "https://127.0.0.1:1/x?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused`,
  ],
  [
    'cannot be reached, which is ignored',
    { path: '/', more: { clientConfig: { url: 'https://127.0.0.1:1/x' }, failurePolicy: 'Ignore' } },
    0,
    '',
  ],
  [
    'has a condition that fails',
    { path: '/deny', more: { matchConditions: [{ name: 'c', expression: 'object.nope == 1' }] } },
    403,
    `configmaps "one" is forbidden: expression 'object.nope == 1' resulted in error: no such key: nope`,
  ],
  [
    'has a condition that is not met',
    { path: '/deny', more: { matchConditions: [{ name: 'c', expression: 'object.metadata.name != "one"' }] } },
    0,
    '',
  ],
  ['is for others', { path: '/deny', more: { objectSelector: { matchLabels: { x: 'y' } } } }, 0, ''],
];

for (const [what, configured, code, message] of refusals) {
  for (const type of ['Validating', 'Mutating'] as const) {
    if (type === 'Mutating' && configured.path === '/label') continue;
    test(`webhooks: a ${type.toLowerCase()} webhook that ${what}: ${code || 'admitted'}`, async () => {
      const end = await configure({ ...configured, type });
      try {
        if (code === 0) return void (await createMap());
        await assert.rejects(createMap(), (error: Error & { code: number }) => {
          assert.equal(error.code, code);
          if (typeof message === 'string') assert.equal(error.message, message);
          else assert.match(error.message, message);
          return true;
        });
      } finally {
        await end();
      }
    });
  }
}

test('validatingWebhooks gives up when a webhook takes too long', async () => {
  const end = await configure({ path: '/never' });
  const failed = assert.rejects(createMap(), /context deadline exceeded$/);
  while (hook.reviews.length === 0) await new Promise(setImmediate);
  await cluster.clock.advance(2000);
  await failed;
  await end();
});

test('mutatingWebhooks asks in the order of names, and again what was asked before a change', async () => {
  const first = await configure({ type: 'Mutating', path: '/count', more: { reinvocationPolicy: 'IfNeeded' } }, 'a');
  const second = await configure({ type: 'Mutating', path: '/label' }, 'b');
  const { metadata } = await createMap();
  assert.deepEqual([metadata.labels, metadata.annotations], [{ hooked: 'yes' }, { labels: '1' }]);
  assert.deepEqual(
    hook.reviews.map(({ path }) => path),
    ['/count', '/label', '/count'],
  );
  await first();
  await second();
});

test('mutatingWebhooks refuse what is no patch', async () => {
  const cases: [string, RegExp][] = [
    ['/nulls', /undecodable patch in webhook response: json: cannot unmarshal null into/],
    ['/list', /undecodable patch in webhook response: json: cannot unmarshal object into/],
    ['/array', /json parse error: json: cannot unmarshal/],
  ];
  for (const [path, message] of cases) {
    const end = await configure({ type: 'Mutating', path });
    await assert.rejects(createMap(), message);
    await end();
  }
});

test('webhooks see the request as upstream shows it', async () => {
  const end = await configure({ path: '/' });
  await createMap();
  const [review] = hook.reviews;
  const { uid, object, ...request } = review!.request;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.equal((object as unknown as ConfigMap).data?.['a'], '<b>');
  assert.deepEqual(request, {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'one',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] },
    oldObject: null,
    dryRun: true,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
  });
  await end();
});

test('webhooks see objects in the version that their rules name', async () => {
  const rules = [{ apiGroups: ['autoscaling'], apiVersions: ['v2'], operations: ['*'], resources: ['*'] }];
  const end = await configure({ path: '/', more: { rules } });
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
  const spec = { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 };
  const body = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
  await cluster.create('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', body, { dryRun: 'All' });
  const { kind, requestKind, object } = hook.reviews[0]!.request;
  assert.deepEqual([kind.version, (requestKind as typeof kind).version], ['v2', 'v1']);
  assert.equal((object as unknown as { spec: { metrics: unknown[] } }).spec.metrics.length, 1);
  await end();
});

test('webhooks are not asked about their own configuration, nor about reviews of rights', async () => {
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
  const end = await configure({ path: '/deny', more: { rules } });
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  await cluster.create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body);
  await end();
  assert.equal(hook.reviews.length, 0);
});
