import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StatusError } from '@kubernode/api';
import type { StatusCause } from '@kubernode/api/meta/v1';
import { startSecured } from '../secured-testing.ts';

const registration = '/apis/admissionregistration.k8s.io/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
let cluster: Awaited<ReturnType<typeof startSecured>>;

/** May write what is asked for here, and read the ConfigMap `known` in `default`. */
const eve = { name: 'eve', uid: 'u1', groups: ['system:authenticated'], extra: { b: ['2', '3'], a: ['1'] } };
const shown = '&{eve u1 [system:authenticated] map[a:[1] b:[2 3]]}';

before(async () => {
  cluster = await startSecured();
  const rules = [
    { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] },
    { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status', 'resourceclaims'], verbs: ['*'] },
    { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/driver'], verbs: ['associated-node:update'] },
    {
      apiGroups: ['resource.k8s.io'],
      resources: ['resourceclaims/driver'],
      verbs: ['arbitrary-node:update'],
      resourceNames: ['mine.example.com'],
    },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['known'], verbs: ['get'] },
  ];
  await cluster.create(`${rbac}/clusterroles`, { metadata: { name: 'eve' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'eve' };
  const subjects = [
    { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'eve' },
    { kind: 'ServiceAccount', namespace: 'kube-system', name: 'driver' },
  ];
  await cluster.create(`${rbac}/clusterrolebindings`, { metadata: { name: 'eve' }, roleRef, subjects });
});
after(() => cluster.server.stop());

/** The causes of a refusal; none where it went through. */
async function refusals(done: Promise<unknown>): Promise<readonly StatusCause[]> {
  try {
    await done;
    return [];
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error;
    return error.status.details?.causes ?? [];
  }
}

const asEve = (method: 'POST' | 'PUT', path: string, body: object) =>
  refusals(cluster.server.transport(eve).request({ method, path, body }));

const policyOf = (kind: string, name: string, paramKind?: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  spec: {
    ...(paramKind && { paramKind }),
    matchConstraints: {
      resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
    },
    ...(kind.startsWith('Validating')
      ? { validations: [{ expression: 'true' }] }
      : {
          reinvocationPolicy: 'Never',
          mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
        }),
  },
});

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

for (const type of ['Validating', 'Mutating'] as const) {
  const plural = `${registration}/${type.toLowerCase()}admissionpolicies`;
  const bindings = `${registration}/${type.toLowerCase()}admissionpolicybindings`;

  test(`paramPermissions of ${type.toLowerCase()} policies asks for "get" on all params`, async () => {
    const kind = `${type}AdmissionPolicy`;
    const message = (of: string) =>
      `Forbidden: user ${shown} must have "get" permission on all objects of the referenced paramKind (${of})`;
    assert.deepEqual(await asEve('POST', plural, policyOf(kind, 'none')), []);
    for (const [paramKind, of] of [
      [configMaps, 'kind=ConfigMap, apiVersion=v1'],
      [{ apiVersion: 'example.com/v1', kind: 'Thing' }, 'kind=Thing, apiVersion=example.com/v1'],
    ] as const) {
      const causes = await asEve('POST', plural, policyOf(kind, 'refused', paramKind));
      assert.deepEqual(causes, [{ reason: 'FieldValueForbidden', message: message(of), field: 'spec.paramKind' }]);
    }
    const made = await cluster.create<{ metadata: object }>(plural, policyOf(kind, 'p', configMaps));
    assert.deepEqual(
      await asEve('PUT', `${plural}/p`, { ...policyOf(kind, 'p', configMaps), metadata: made.metadata }),
      [],
    );
  });

  test(`paramPermissions of ${type.toLowerCase()} bindings asks for what they refer to`, async () => {
    const binding = (policyName: string, paramRef?: object) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${type}AdmissionPolicyBinding`,
      metadata: { name: `b${policyName}` },
      spec: {
        policyName,
        ...(type === 'Validating' && { validationActions: ['Deny'] }),
        ...(paramRef && { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } }),
      },
    });
    const subject = (verb: string) => (type === 'Validating' ? [shown, verb] : [verb, shown]);
    const swapped = ([who, what]: string[]) =>
      `Forbidden: user ${who} does not have "${what}" permission on the object referenced by paramRef`;
    const cases: readonly [string, object | undefined, string | undefined][] = [
      ['p', undefined, undefined],
      ['p', { name: 'known', namespace: 'default' }, undefined],
      ['p', { name: 'other', namespace: 'default' }, swapped(subject('get'))],
      ['p', { selector: {} }, swapped(subject('list'))],
      [
        'gone',
        { name: 'known' },
        `Forbidden: unable to get policy gone to determine minimum required permissions and user ${shown} does not ` +
          'have "get" permission for all groups, versions and resources',
      ],
    ];
    for (const [policyName, paramRef, message] of cases) {
      const causes = await refusals(
        cluster.server
          .transport(eve)
          .request({ method: 'POST', path: bindings, query: { dryRun: 'All' }, body: binding(policyName, paramRef) }),
      );
      const expected = { reason: 'FieldValueForbidden', message, field: 'spec.paramRef' };
      assert.deepEqual(causes, message === undefined ? [] : [expected]);
    }
  });
}

const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const driver = (node: string) => ({
  name: 'system:serviceaccount:kube-system:driver',
  groups: ['system:authenticated'],
  extra: { 'authentication.kubernetes.io/node-name': [node] },
});

test('claimPermissions leaves allocations to the scheduler and devices to their driver', async () => {
  const request = { name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 2 } };
  await cluster.create(claims, { metadata: { name: 'claim' }, spec: { devices: { requests: [request] } } });
  const results = ['mine', 'their'].map((name) => ({
    request: 'r',
    driver: `${name}.example.com`,
    pool: 'p',
    device: 'd',
  }));
  const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] };
  const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [onNode] } };
  const put = async (user: Parameters<typeof cluster.server.transport>[0], status: object) => {
    const current = await cluster.admin.request<object>({ method: 'GET', path: `${claims}/claim` });
    const body = { ...current, status };
    return refusals(cluster.server.transport(user).request({ method: 'PUT', path: `${claims}/claim/status`, body }));
  };
  const cannot = (who: string, what: string) => `User ${JSON.stringify(who)} cannot ${what}`;
  const bind =
    'Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", ' +
    'verb="update" permission: resourceclaims.resource.k8s.io is forbidden: ' +
    cannot('eve', 'update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope');
  assert.deepEqual(await put(eve, { allocation }), [
    { reason: 'FieldValueForbidden', message: bind, field: 'status.allocation' },
  ]);
  assert.deepEqual(await put('system:kube-scheduler', { allocation }), []);
  const told = (name: string) => ({ driver: `${name}.example.com`, pool: 'p', device: 'd', data: { a: name } });
  assert.deepEqual(await put(eve, { allocation, devices: [told('mine')] }), []);
  const their =
    'Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" ' +
    'permission: resourceclaims.resource.k8s.io "their.example.com" is forbidden: ' +
    cannot('eve', 'arbitrary-node:update resource "resourceclaims/driver" in API group "resource.k8s.io"') +
    ' in the namespace "default"';
  assert.deepEqual(await put(eve, { allocation, devices: [told('their')] }), [
    { reason: 'FieldValueForbidden', message: their, field: 'status.devices' },
  ]);
  const fromElsewhere = await put(driver('n2'), { allocation, devices: [told('their')] });
  assert.match(fromElsewhere[0]?.message ?? '', /verb="\[arbitrary-node:update\]"/);
  assert.deepEqual(await put(driver('n1'), { allocation, devices: [told('their')] }), []);
});
