import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import type { Namespace, Pod, Toleration } from '@kubernode/api/core/v1';
import { FakeClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { startSecured } from '../secured-testing.ts';
import type { AdmissionRequest } from '../seams.ts';
import { alwaysDeny } from './opt-in.ts';
import { admissionPlugins, type AdmissionOptions } from './plugins.ts';

const containers = [{ name: 'c', image: 'example.com/app:1' }];
const configured = (configurations: Readonly<Record<string, unknown>>) => ({
  configurationFor: (plugin: string) => configurations[plugin],
});

async function start(plugins: readonly string[], configurations: Readonly<Record<string, unknown>> = {}) {
  const started = await startSecured({
    enableAdmissionPlugins: plugins,
    admissionConfiguration: configured(configurations),
  });
  const namespace = async (name: string, annotations: Record<string, string> = {}) => {
    await started.create('/api/v1/namespaces', { metadata: { name, annotations } });
    await started.create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  };
  const pod = (name: string, spec: object, space = 'a') =>
    started.create<Pod>(`/api/v1/namespaces/${space}/pods`, { metadata: { name }, spec: { containers, ...spec } });
  return { ...started, namespace, pod };
}

const refused = (code: number, message: string) => (error: unknown) => {
  const { code: got, message: text } = error as StatusError;
  assert.deepEqual([got, text], [code, message]);
  return true;
};

test('namespaceAutoProvision makes the namespace, but not for a dry run', async () => {
  const { server, create, admin } = await start(['NamespaceAutoProvision']);
  const dry = create('/api/v1/namespaces/new/configmaps', { metadata: { name: 'c' } }, { dryRun: 'All' });
  await assert.rejects(dry, refused(404, 'namespaces "new" not found'));
  await create('/api/v1/namespaces/new/configmaps', { metadata: { name: 'c' } });
  const made = await admin.request<Namespace>({ method: 'GET', path: '/api/v1/namespaces/new' });
  assert.equal(made.metadata.labels?.['kubernetes.io/metadata.name'], 'new');
  await server.stop();
});

test('alwaysDeny denies', () => {
  const attributes = { group: '', resource: 'namespaces', name: 'a' };
  assert.throws(
    () => alwaysDeny.mutate?.({ attributes, operation: 'DELETE' } as unknown as AdmissionRequest),
    refused(403, 'namespaces "a" is forbidden: admission control is denying all modifications'),
  );
});

test('limitPodHardAntiAffinityTopology refuses to be alone in more than a node', async () => {
  const { server, namespace, pod } = await start(['LimitPodHardAntiAffinityTopology', 'NamespaceExists']);
  await namespace('a');
  const away = (topologyKey: string) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } },
  });
  await pod('host', away('kubernetes.io/hostname'));
  const why =
    'affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed';
  await assert.rejects(pod('zone', away('zone')), refused(403, `pods "zone" is forbidden: ${why}`));
  await server.stop();
});

test('eventRateLimit counts by the type of each limit', async () => {
  const limit = (type: string, burst: number) => ({ type, qps: 1, burst });
  const { server, create, clock } = await start(['EventRateLimit'], {
    EventRateLimit: {
      apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      limits: [limit('Namespace', 3), limit('SourceAndObject', 2), limit('User', 100), limit('Server', 100)],
    },
  });
  const event = (name: string, about: string) =>
    create('/api/v1/namespaces/default/events', {
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace: 'default', name: about, uid: 'u', apiVersion: 'v1' },
      source: { component: 'me', host: 'h' },
    });
  await event('1', 'p');
  await event('2', 'p');
  const ofSource = 'limit reached on type SourceAndObject for key mehPoddefaultpuv1';
  await assert.rejects(event('3', 'p'), refused(429, `Too many requests: ${ofSource}`));
  const ofNamespace = 'limit reached on type Namespace for key default';
  await assert.rejects(event('4', 'p'), refused(429, `Too many requests: [${ofNamespace}, ${ofSource}]`));
  await clock.advance(1000);
  await event('5', 'q');
  await server.stop();
});

test('podNodeSelector merges, and holds to the whitelist', async () => {
  const { server, namespace, pod } = await start(['PodNodeSelector'], {
    PodNodeSelector: { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'env=dev', b: 'env=dev,disk=ssd' } },
  });
  const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
  await namespace('a', { [annotation]: 'env=test, zone=x' });
  await namespace('b');
  await namespace('bad', { [annotation]: 'env' });
  assert.deepEqual((await pod('p', { nodeSelector: { disk: 'ssd' } })).spec.nodeSelector, {
    env: 'test',
    zone: 'x',
    disk: 'ssd',
  });
  assert.deepEqual((await pod('p', {}, 'b')).spec.nodeSelector, { env: 'dev' });
  const cases = [
    [{ env: 'prod' }, 'a', 403, 'pod node label selector conflicts with its namespace node label selector'],
    [{ disk: 'hdd' }, 'b', 403, 'pod node label selector labels conflict with its namespace whitelist'],
  ] as const;
  for (const [nodeSelector, space, code, why] of cases)
    await assert.rejects(pod('r', { nodeSelector }, space), refused(code, `pods "r" is forbidden: ${why}`));
  await assert.rejects(pod('r', {}, 'bad'), refused(500, 'invalid selector: [env]'));
  await server.stop();
});

test('podTolerationRestriction merges defaults, and holds to the whitelist', async () => {
  const { server, namespace, pod } = await start(['PodTolerationRestriction']);
  const list = (...tolerations: Toleration[]) => JSON.stringify(tolerations);
  const wide: Toleration = { key: 'k', operator: 'Exists' };
  await namespace('a', { 'scheduler.alpha.kubernetes.io/defaultTolerations': list(wide) });
  await namespace('b', {
    'scheduler.alpha.kubernetes.io/tolerationsWhitelist': list(
      { key: 'k', operator: 'Equal', value: 'v' },
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 400 },
    ),
  });
  const own = { key: 'k', operator: 'Equal', value: 'v' };
  const keys = ({ spec }: Pod) => (spec.tolerations ?? []).map(({ key, operator }) => `${key} ${operator}`);
  const lost = ['node.kubernetes.io/not-ready Exists', 'node.kubernetes.io/unreachable Exists'];
  assert.deepEqual(keys(await pod('p', { tolerations: [own] })), [...lost, 'k Exists']);
  const busy = [{ ...containers[0], resources: { requests: { cpu: '1' } } }];
  assert.deepEqual(keys(await pod('q', { containers: busy })), [
    ...lost,
    'k Exists',
    'node.kubernetes.io/memory-pressure Exists',
  ]);
  assert.deepEqual(keys(await pod('p', { tolerations: [own] }, 'b')), ['k Equal', ...lost]);
  const conflict =
    'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist';
  await assert.rejects(pod('r', { tolerations: [wide] }, 'b'), refused(500, conflict));
  await server.stop();
});

test('ownerReferencesPermissionEnforcement asks for the rights on what is owned, and on its owner', async () => {
  const { server, create, namespace, admin } = await start(['OwnerReferencesPermissionEnforcement']);
  await namespace('a');
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/a';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update'] }];
  await create(`${rbac}/roles`, { metadata: { name: 'r' }, rules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: 'r' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'User', name: 'mia', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  const mia = server.transport('mia');
  const owner = (more: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', ...more });
  const write = (method: 'POST' | 'PUT', name: string, reference: object) => {
    const path = `/api/v1/namespaces/a/configmaps${method === 'PUT' ? `/${name}` : ''}`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: [reference] } };
    return mia.request({ method, path, body });
  };
  const says = (why: string) => refused(403, `configmaps "c" is forbidden: ${why}`);
  const cannotBlock =
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ";
  const blocking = write('POST', 'c', owner({ blockOwnerDeletion: true }));
  await assert.rejects(blocking, (error) => {
    assert.ok((error as StatusError).message.startsWith(`configmaps "c" is forbidden: ${cannotBlock}`));
    return true;
  });
  const nowhere = { apiVersion: 'x/v1', kind: 'Nothing', blockOwnerDeletion: true };
  const notFound =
    'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion x/v1 Kind Nothing: ' +
    'no matches for kind "Nothing" in version "x/v1"';
  await assert.rejects(write('POST', 'c', owner(nowhere)), says(notFound));
  await write('POST', 'c', owner());
  await assert.rejects(
    write('PUT', 'c', owner({ uid: 'v' })),
    says("cannot set an ownerRef on a resource you can't delete: , <nil>"),
  );
  const path = '/api/v1/namespaces/a/configmaps/c';
  const metadata = { name: 'c', ownerReferences: [owner({ blockOwnerDeletion: true })] };
  await admin.request({ method: 'PUT', path, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });
  await server.stop();
});

test('podResizeValidator and nodeDeclaredFeatureValidator look at the node of a running pod', async () => {
  const { server, create, namespace, pod, admin } = await start([]);
  await namespace('a');
  const node = (name: string, labels: object = {}) =>
    create('/api/v1/nodes', {
      metadata: { name, labels },
      status: { allocatable: { cpu: '1500m', memory: '1Gi' } },
    });
  const resources = { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } };
  const resize = async (nodeName: string, cpu: string, memory: string) => {
    await pod(`on-${nodeName}`, { nodeName, containers: [{ ...containers[0], resources }] });
    const requests = { cpu, memory };
    const body = { spec: { containers: [{ name: 'c', resources: { requests, limits: requests } }] } };
    const path = `/api/v1/namespaces/a/pods/on-${nodeName}/resize`;
    return admin.request({ method: 'PATCH', path, contentType: 'application/strategic-merge-patch+json', body });
  };
  await node('linux', { 'kubernetes.io/os': 'linux' });
  await node('windows', { 'kubernetes.io/os': 'windows' });
  await node('small');
  await resize('linux', '1500m', '64Mi');
  const cases = [
    ['small', 'UnsupportedPlatform', '2', '2Gi', 'NodeCapacity'],
    ['windows', '', '1', '128Mi', 'UnsupportedPlatform'],
    ['none', '', '1', '128Mi', undefined],
  ] as const;
  const texts: Readonly<Record<string, string>> = {
    small:
      "node didn't have enough allocatable resources: cpu, requested: 2000, allocatable: 1500; " +
      'memory, requested: 2147483648, allocatable: 1073741824',
    windows: 'pod resize is only supported on linux nodes, node "windows" is "windows"',
    none: 'node "none" not found',
  };
  for (const [name, , cpu, memory, reason] of cases)
    await assert.rejects(resize(name, cpu, memory), (error) => {
      const { status } = error as StatusError;
      assert.equal(status.message, `pods "on-${name}" is forbidden: ${texts[name]}`);
      assert.equal(status.details?.causes?.[0]?.reason, reason);
      return true;
    });
  await server.stop();
});

test('resourceQuota refuses what is limited and not covered', async () => {
  const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
  const { server, create, namespace, pod, admin } = await start([], {
    ResourceQuota: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources: [
        { resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/requests.storage'] },
        { resource: 'pods', matchScopes },
      ],
    },
  });
  await namespace('a');
  await create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 5 });
  const claims = '/api/v1/namespaces/a/persistentvolumeclaims';
  const claim = (storageClassName: string) => ({
    metadata: { name: 'c' },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const lacking = 'insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage';
  await assert.rejects(
    create(claims, claim('gold')),
    refused(403, `persistentvolumeclaims "c" is forbidden: ${lacking}`),
  );
  await pod('low', {});
  const scopes = 'insufficient quota to match these scopes: [{PriorityClass In [high]}]';
  await assert.rejects(pod('high', { priorityClassName: 'high' }), refused(500, scopes));
  const quotas = '/api/v1/namespaces/a/resourcequotas';
  const hard = { pods: '5' };
  await create(quotas, { metadata: { name: 'q' }, spec: { hard, scopeSelector: { matchExpressions: matchScopes } } });
  const status = { hard, used: { pods: '0' } };
  const contentType = 'application/merge-patch+json';
  await admin.request({ method: 'PATCH', path: `${quotas}/q/status`, contentType, body: { status } });
  await pod('high', { priorityClassName: 'high' });
  await server.stop();
});

test('admissionPlugins refuses configurations by name and field', () => {
  const cases: readonly [plugin: string, configuration: object, message: string][] = [
    ['EventRateLimit', {}, "Object 'Kind' is missing"],
    [
      'EventRateLimit',
      { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits: [] },
      'limits: Invalid value: []: must not be empty',
    ],
    [
      'EventRateLimit',
      {
        apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
        kind: 'Configuration',
        limits: [{ type: 'Nobody', qps: 1, burst: 0, cacheSize: -1 }],
      },
      '[limits[0].type: Unsupported value: "Nobody": supported values: "Namespace", "Server", "SourceAndObject", "User", ' +
        'limits[0].burst: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
    ],
    [
      'PodTolerationRestriction',
      {
        apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
        kind: 'Configuration',
        default: [{ key: 'k', operator: 'Exists', value: 'v' }],
      },
      'invalid config: [podtolerationrestriction.default[0].operator: Invalid value: "v": value must be empty when `operator` is \'Exists\']',
    ],
    [
      'PodNodeSelector',
      { podNodeSelectorPluginConfig: { a: 5 } },
      'podNodeSelectorPluginConfig[a]: Invalid value: 5: must be a string',
    ],
    [
      'ResourceQuota',
      { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', limitedResources: [{}] },
      'limitedResources[0].resource: Required value',
    ],
  ];
  for (const [plugin, configuration, message] of cases) {
    const options = {
      clock: new FakeClock(),
      enable: [plugin],
      configuration: configured({ [plugin]: configuration }),
    } as unknown as AdmissionOptions;
    assert.throws(() => admissionPlugins(new MemoryState(), options), {
      message: `couldn't init admission plugin "${plugin}": ${message}`,
    });
  }
});
