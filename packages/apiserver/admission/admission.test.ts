import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import type { Pod, ResourceQuota } from '@kubernode/api/core/v1';
import { FakeClock } from '@kubernode/machinery';
import { compileProgram, dynType, kubernetesEnvironment, perCallCostMax } from '@kubernode/machinery/cel';
import { MemoryState } from '../memory-state.ts';
import type { AdmissionRequest } from '../seams.ts';
import { limitRanger } from './limits/limit-ranger.ts';
import { podTopologyLabels } from './nodes/pod-topology-labels.ts';
import { certificateRequester } from './privileges/certificate-requester.ts';
import { startSecured } from '../secured-testing.ts';
import { admissionPlugins, type AdmissionOptions } from './plugins.ts';

const podSpec = { containers: [{ name: 'c', image: 'example.com/app:1' }] };
const pods = '/api/v1/namespaces/default/pods';
const refusedWith = (message: string | RegExp) => (error: unknown) => {
  const { message: got } = error as StatusError;
  if (typeof message === 'string') assert.equal(got, message);
  else assert.match(got, message);
  return true;
};

async function start() {
  const started = await startSecured();
  await started.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  return started;
}

test('admissionPlugins gives a pod its account, token, priority and tolerations', async () => {
  const { server, create } = await start();
  const pod = await create<Pod>(pods, { metadata: { name: 'p' }, spec: podSpec });
  const { spec } = pod;
  assert.deepEqual([spec.serviceAccountName, spec.serviceAccount, spec.priority], ['default', 'default', 0]);
  assert.deepEqual(
    spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
    [
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ],
  );
  const volume = spec.volumes?.[0];
  assert.match(volume?.name ?? '', /^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.equal(spec.containers[0]?.volumeMounts?.[0]?.name, volume?.name);
  assert.deepEqual(Object.keys(volume?.projected?.sources?.[0] ?? {}), ['serviceAccountToken']);
  await server.stop();
});

test("admissionPlugins refuses in upstream's words", async () => {
  const { server, create, admin } = await start();
  const cases: [string, object, string][] = [
    [
      pods,
      { spec: { ...podSpec, serviceAccountName: 'x' } },
      'pods "p" is forbidden: error looking up service account default/x: serviceaccount "x" not found',
    ],
    [
      pods,
      { spec: { ...podSpec, priorityClassName: 'x' } },
      'pods "p" is forbidden: no PriorityClass with name x was found',
    ],
    [
      pods,
      { spec: { ...podSpec, priority: 5 } },
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      pods,
      { spec: { ...podSpec, runtimeClassName: 'x' } },
      'pods "p" is forbidden: pod rejected: RuntimeClass "x" not found',
    ],
    ['/api/v1/namespaces/none/configmaps', {}, 'namespaces "none" not found'],
  ];
  for (const [path, more, message] of cases)
    await assert.rejects(create(path, { metadata: { name: 'p' }, ...more }), refusedWith(message));
  await assert.rejects(
    admin.request({ method: 'DELETE', path: '/api/v1/namespaces/kube-system' }),
    refusedWith('namespaces "kube-system" is forbidden: this namespace may not be deleted'),
  );
  await server.stop();
});

test('limitRanger sets defaults and holds to bounds', async () => {
  const { server, create } = await start();
  const limits = [{ type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' }, max: { cpu: '1' } }];
  await create('/api/v1/namespaces/default/limitranges', { metadata: { name: 'l' }, spec: { limits } });
  const pod = await create<Pod>(pods, { metadata: { name: 'p' }, spec: podSpec });
  assert.deepEqual(pod.spec.containers[0]?.resources, { limits: { cpu: '500m' }, requests: { cpu: '100m' } });
  assert.equal(
    pod.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
  );
  const greedy = { containers: [{ ...podSpec.containers[0], resources: { limits: { cpu: '2' } } }] };
  await assert.rejects(
    create(pods, { metadata: { name: 'g' }, spec: greedy }),
    refusedWith(/^pods "g" is forbidden: maximum cpu usage per Container is 1, but limit is 2$/),
  );
  const both = { containers: ['a', 'b'].map((name) => ({ ...greedy.containers[0], name })) };
  await assert.rejects(
    create(pods, { metadata: { name: 'g' }, spec: both }),
    refusedWith('pods "g" is forbidden: maximum cpu usage per Container is 1, but limit is 2'),
  );
  const later = [{ type: 'Container', default: { cpu: '2', memory: '1Gi' } }];
  await create('/api/v1/namespaces/default/limitranges', { metadata: { name: 'z' }, spec: { limits: later } });
  const second = await create<Pod>(pods, { metadata: { name: 's' }, spec: podSpec });
  assert.deepEqual(second.spec.containers[0]?.resources?.limits, { cpu: '500m', memory: '1Gi' });
  assert.equal(
    second.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: memory request for container c; memory limit for container c',
  );
  await server.stop();
});

test('resourceQuota books what fits, and refuses the rest even when all ask at once', async () => {
  const { server, create, admin } = await start();
  const hard = { configmaps: '3' };
  const quotas = '/api/v1/namespaces/default/resourcequotas';
  await create(quotas, { metadata: { name: 'q' }, spec: { hard } });
  await admin.request({
    method: 'PATCH',
    path: `${quotas}/q/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { hard, used: { configmaps: '0' } } },
  });
  const names = ['a', 'b', 'c', 'd', 'e'];
  const results = await Promise.allSettled(
    names.map((name) => create('/api/v1/namespaces/default/configmaps', { metadata: { name } })),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 2);
  refusedWith(/is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3$/)(
    refused[0]!.reason,
  );
  const quota = await admin.request<ResourceQuota>({ method: 'GET', path: `${quotas}/q` });
  assert.deepEqual(quota.status?.used, { configmaps: '3' });
  await server.stop();
});

test('rbacEscalation lets nobody grant what they do not have', async () => {
  const { server, create } = await start();
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  ];
  await create(`${rbac}/roles`, { metadata: { name: 'manager' }, rules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: 'manager' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'manager' },
    subjects: [{ kind: 'User', name: 'mia', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  const mia = server.transport('mia');
  const role = (name: string, verbs: string[]) =>
    mia.request({
      method: 'POST',
      path: `${rbac}/roles`,
      body: { metadata: { name }, rules: [{ apiGroups: [''], resources: ['pods'], verbs }] },
    });
  await role('same', ['get']);
  await assert.rejects(
    role('more', ['get', 'delete']),
    refusedWith(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "mia" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    ),
  );
  await server.stop();
});

test('certificateRequester names who asks, whatever the request claims', () => {
  const plugin = certificateRequester(new FakeClock());
  const attributes = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: '' };
  const user = { name: 'mia', uid: '7', groups: ['dev'] };
  const object = { spec: { signerName: 's', username: 'forged', groups: ['system:masters'], extra: { k: ['v'] } } };
  plugin.mutate?.({ attributes, user, object, operation: 'CREATE' } as unknown as AdmissionRequest);
  assert.deepEqual(object.spec, { signerName: 's', username: 'mia', groups: ['dev'], uid: '7' });
  const approved = {
    spec: { signerName: 's', username: 'forged' },
    status: { conditions: [{ type: 'Approved', status: 'True' }] },
  };
  const update = { attributes, user, object: approved, oldObject: object, operation: 'UPDATE' };
  plugin.mutate?.(update as unknown as AdmissionRequest);
  assert.deepEqual(approved.spec, object.spec);
  const time = '2026-01-01T00:00:00Z';
  assert.deepEqual(approved.status.conditions, [
    { type: 'Approved', status: 'True', lastUpdateTime: time, lastTransitionTime: time },
  ]);
});

test('admissionPlugins keeps the order, and refuses names that it does not have', () => {
  const state = new MemoryState();
  const options = (more: Partial<AdmissionOptions>) => ({ ...more }) as AdmissionOptions;
  const names = (more: Partial<AdmissionOptions>) => admissionPlugins(state, options(more)).map(({ name }) => name);
  const all = names({});
  assert.ok(all.indexOf('NamespaceLifecycle') < all.indexOf('ServiceAccount'));
  assert.equal(all.at(-1), 'ResourceQuota');
  assert.equal(names({ disable: ['Priority'] }).includes('Priority'), false);
  assert.equal(names({ enable: ['ExtendedResourceToleration'] }).length, all.length + 1);
  const both = { enable: ['EventRateLimit', 'Nonsense'], disable: ['Other', 'EventRateLimit'] };
  assert.throws(() => names(both), {
    message:
      'enable-admission-plugins plugin "Nonsense" is unknown\n' +
      'disable-admission-plugins plugin "Other" is unknown\n' +
      '[EventRateLimit] in enable-admission-plugins and disable-admission-plugins overlapped',
  });
});

test('limitRanger and podTopologyLabels leave the maps as they are whose keys an expression remembers', async () => {
  const state = new MemoryState();
  const limits = [{ type: 'Container', default: { cpu: '1' } }];
  state.put('', 'limitranges', { metadata: { name: 'l', namespace: 'default' }, spec: { limits } });
  state.put('', 'nodes', { metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } } });
  const map = () => Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, 'x']));
  const object = { metadata: { name: 'p', annotations: map(), labels: map() }, spec: { ...podSpec, nodeName: 'n' } };
  const environment = kubernetesEnvironment.extend({ variables: { object: dynType } });
  const sizes = ['annotations', 'labels'].map((field) =>
    compileProgram(`object.metadata.${field}.size()`, environment),
  );
  const found = () => sizes.map((size) => Number(size.attempt({ object }, perCallCostMax).value));
  assert.deepEqual(found(), [70, 70]);
  const attributes = { namespace: 'default', group: '', resource: 'pods', subresource: '', name: 'p' };
  const request = { operation: 'CREATE', attributes, object } as unknown as AdmissionRequest;
  for (const plugin of [limitRanger(state), podTopologyLabels(state)]) await plugin.mutate?.(request);
  assert.deepEqual(found(), [71, 71]);
});
