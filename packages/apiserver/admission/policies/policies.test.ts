import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { startSecured } from '../../secured-testing.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
let cluster: Awaited<ReturnType<typeof startSecured>>;

before(async () => {
  cluster = await startSecured();
  for (const [name, limit] of Object.entries({ small: '3', large: '30' })) {
    const metadata = { name, labels: { params: 'yes' } };
    await cluster.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { limit } });
  }
});
after(() => cluster.server.stop());

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
};

/** Puts a policy and its binding in force; the answer ends both. */
async function enforce(type: 'Validating' | 'Mutating', spec: object, binding: object = {}) {
  const plural = `${type.toLowerCase()}admissionpolic`;
  const head = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'p' } };
  const kind = `${type}AdmissionPolicy`;
  await cluster.create(`${group}/${plural}ies`, { ...head, kind, spec: { matchConstraints, ...spec } });
  const bound = { policyName: 'p', ...(type === 'Validating' && { validationActions: ['Deny'] }), ...binding };
  await cluster.create(`${group}/${plural}ybindings`, { ...head, kind: `${kind}Binding`, spec: bound });
  return async () => {
    for (const resource of [`${plural}ybindings`, `${plural}ies`]) {
      await cluster.admin.request({ method: 'DELETE', path: `${group}/${resource}/p` });
    }
  };
}

const create = (name = 'one') =>
  cluster.create<ConfigMap>(
    maps,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '12345' } },
    { dryRun: 'All' },
  );

const byPolicy = `configmaps "one" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: `;
const params = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const limit = {
  expression: 'size(object.data.a) < int(params.data.limit)',
  messageExpression: '"" + params.metadata.name',
};
const selected = { paramRef: { selector: { matchLabels: { params: 'yes' } }, parameterNotFoundAction: 'Deny' } };
const named = (name: string, action: string) => ({ paramRef: { name, parameterNotFoundAction: action } });

const verdicts: readonly [string, object, object, readonly [number, string] | undefined][] = [
  ['is true', { validations: [{ expression: 'object.data.a == "12345"' }] }, {}, undefined],
  ['is false', { validations: [{ expression: 'false' }] }, {}, [422, 'failed expression: false']],
  ['has a reason', { validations: [{ expression: 'false', message: 'no', reason: 'Forbidden' }] }, {}, [403, 'no']],
  [
    'makes its message',
    { validations: [{ expression: 'false', messageExpression: '"no " + request.operation' }] },
    {},
    [422, 'no CREATE'],
  ],
  [
    'fails',
    { validations: [{ expression: 'object.nope == 1' }] },
    {},
    [422, `expression 'object.nope == 1' resulted in error: no such key: nope`],
  ],
  [
    'fails, which is ignored',
    { failurePolicy: 'Ignore', validations: [{ expression: 'object.nope == 1' }] },
    {},
    undefined,
  ],
  [
    'has a variable that fails',
    { variables: [{ name: 'x', expression: 'object.nope' }], validations: [{ expression: 'variables.x == 1' }] },
    {},
    [
      422,
      `expression 'variables.x == 1' resulted in error: composited variable "x" fails to evaluate: no such key: nope`,
    ],
  ],
  [
    'has variables of variables',
    {
      variables: [
        { name: 'x', expression: '2' },
        { name: 'y', expression: 'variables.x * 2' },
      ],
      validations: [{ expression: 'variables.y == 4' }],
    },
    {},
    undefined,
  ],
  [
    'asks the authorizer',
    { validations: [{ expression: 'authorizer.path("/x").check("get").allowed()' }] },
    {},
    undefined,
  ],
  [
    'is not for it',
    { validations: [{ expression: 'false' }], matchConditions: [{ name: 'c', expression: 'false' }] },
    {},
    undefined,
  ],
  [
    'is bound to others',
    { validations: [{ expression: 'false' }] },
    { matchResources: { objectSelector: { matchLabels: { x: 'y' } } } },
    undefined,
  ],
  ['has params', { ...params, validations: [limit] }, named('large', 'Deny'), undefined],
  ['has each of its params', { ...params, validations: [limit] }, selected, [422, 'small']],
  ['may lack params', { ...params, validations: [limit] }, named('none', 'Allow'), undefined],
  [
    'lacks params',
    { ...params, validations: [limit] },
    named('none', 'Deny'),
    [422, 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'],
  ],
];

for (const [what, spec, binding, refusal] of verdicts) {
  test(`validatingPolicies: a policy that ${what}`, async () => {
    const end = await enforce('Validating', spec, binding);
    try {
      if (!refusal) return void (await create());
      const [code, message] = refusal;
      await assert.rejects(create(), { code, message: byPolicy + message });
    } finally {
      await end();
    }
  });
}

test('validatingPolicies stops expressions that cost too much together', async () => {
  const ten = '[1,2,3,4,5,6,7,8,9,10]';
  const costly = ['a', 'b', 'c', 'd', 'e'].reduceRight((body, name) => `${ten}.all(${name}, ${body})`, 'a + b > 0');
  const end = await enforce('Validating', { validations: Array.from({ length: 25 }, () => ({ expression: costly })) });
  await assert.rejects(create(), /running out of cost budget/);
  await end();
});

const mutation = (expression: string) =>
  expression.startsWith('Object')
    ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression } }
    : { patchType: 'JSONPatch', jsonPatch: { expression } };
const byMutation = `policy 'p' with binding 'p' denied request: `;

const mutations: readonly [string, readonly string[], object, Readonly<Record<string, string>> | string][] = [
  ['an object', ['Object{data: {"b": object.metadata.name}}'], {}, { a: '12345', b: 'one' }],
  [
    'a patch',
    ['[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("b"), value: "c"}]'],
    {},
    { a: '12345', b: 'c' },
  ],
  [
    'one after the other',
    ['Object{data: {"b": string(size(object.data))}}', 'Object{data: {"c": string(size(object.data))}}'],
    {},
    { a: '12345', b: '1', c: '2' },
  ],
  [
    'again',
    ['Object{data: {"b": string(size(object.data))}}'],
    { reinvocationPolicy: 'IfNeeded' },
    { a: '12345', b: '2' },
  ],
  [
    'nothing where a test fails',
    ['[JSONPatch{op: "test", path: "/data/a", value: "x"}, JSONPatch{op: "remove", path: "/data/a"}]'],
    {},
    { a: '12345' },
  ],
  [
    'params',
    ['Object{data: {"b": params.data.limit}}'],
    { ...params, ...named('small', 'Deny') },
    { a: '12345', b: '3' },
  ],
  [
    'fields that there are not',
    ['Object{nope: "x"}'],
    {},
    'error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema',
  ],
  [
    'objects of another place',
    ['Object{metadata: Object.spec{labels: {"x": "y"}}}'],
    {},
    'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
  ],
  ['errors', ['Object{data: {"b": object.nope}}'], {}, /resulted in error: no such key: nope$/.source],
];

for (const [what, expressions, more, expected] of mutations) {
  test(`mutatingPolicies merge ${what}`, async () => {
    const { paramRef, ...spec } = more as { paramRef?: object };
    const common = { reinvocationPolicy: 'Never', mutations: expressions.map(mutation) };
    const end = await enforce('Mutating', { ...common, ...spec }, paramRef && { paramRef });
    try {
      if (typeof expected !== 'string') {
        assert.deepEqual({ ...(await create()).data }, expected);
        return;
      }
      await assert.rejects(create(), (error: Error & { code: number }) => {
        assert.equal(error.code, 403);
        if (expected.endsWith('$')) assert.match(error.message, new RegExp(expected));
        else assert.equal(error.message, byMutation + expected);
        return true;
      });
    } finally {
      await end();
    }
  });
}

test('mutatingPolicies keep hands off lists that are owned as a whole', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] };
  const expression = 'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", args: ["x"]}]}}';
  const spec = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never' };
  const end = await enforce('Mutating', { ...spec, mutations: [mutation(expression)] });
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', args: ['a'] }] } };
  await cluster.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await assert.rejects(cluster.create('/api/v1/namespaces/default/pods', pod, { dryRun: 'All' }), {
    message: `${byMutation}error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args`,
  });
  await end();
});
