import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValidatingAdmissionPolicy } from '@kubernode/api/admissionregistration/v1';
import type { Client } from '@kubernode/client';
import { testObject } from '../shared/testing.ts';
import { kindTypes } from './kind-types.ts';
import { checkTypes } from './type-check.ts';

const custom = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  'x-kubernetes-group-version-kind': [{ group: 'h.example', version: 'v1', kind: 'Widget' }],
};
const served: Readonly<Record<string, unknown>> = {
  '/apis/h.example/v1': { resources: [{ name: 'widgets', kind: 'Widget' }] },
  '/openapi/v3/apis/h.example/v1': { components: { schemas: { widget: custom } } },
};
const types = kindTypes({
  request: ({ path }: { path: string }) =>
    path in served ? Promise.resolve(served[path]) : Promise.reject(new Error('not served')),
} as unknown as Client);

const rule = (group: string, resource: string) => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: [resource],
});
const policy = (spec: object): ValidatingAdmissionPolicy =>
  testObject<ValidatingAdmissionPolicy>({ metadata: { name: 'p' }, spec } as never);
const of = (expression: string, more: object = {}, resourceRules = [rule('apps', 'deployments')]) =>
  checkTypes(policy({ matchConstraints: { resourceRules }, validations: [{ expression }], ...more }), types);

test('checkTypes finds fields that there are not, and wrong types', async () => {
  const undefinedField = `apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'spe'
 | object.spe.replicas > 1
 | ......^
`;
  assert.deepEqual(await of('object.spe.replicas > 1'), [
    { fieldRef: 'spec.validations[0].expression', warning: undefinedField },
  ]);
  const cases: [string, RegExp | undefined][] = [
    ['object.spec.replicas > 1', undefined],
    ['object.metadata.labels["a"] == "b"', undefined],
    ['object.spec.template.spec.containers.all(c, c.image != "")', undefined],
    ['object.spec.strategy.rollingUpdate.maxSurge == 1', undefined],
    ['object.spec.replicas > "1"', /found no matching overload for '_>_' applied to '\(int, string\)'/],
    ['oldObject.spec.nope', /undefined field 'nope'/],
    ['authorizer.group("").resource("pods").check("get").allowed()', undefined],
  ];
  for (const [expression, message] of cases) {
    const [warning] = await of(expression);
    if (message) assert.match(warning?.warning ?? '', message, expression);
    else assert.equal(warning, undefined, expression);
  }
});

test('checkTypes knows the types of variables and params', async () => {
  const variables = [{ name: 'r', expression: 'object.spec.replicas' }];
  assert.match((await of('variables.r == "a"', { variables }))[0]?.warning ?? '', /no matching overload/);
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  assert.deepEqual(await of('params.data["a"] == "b"', { paramKind }), []);
  assert.match((await of('params.nope == "b"', { paramKind }))[0]?.warning ?? '', /undefined field 'nope'/);
});

test('checkTypes reads the schemas of custom resources, and leaves wildcards alone', async () => {
  const widgets = [rule('h.example', 'widgets')];
  assert.deepEqual(await of('object.spec.size > 1 && has(object.metadata.labels)', {}, widgets), []);
  assert.match((await of('object.spec.siz > 1', {}, widgets))[0]?.warning ?? '', /^h\.example\/v1, Kind=Widget: /);
  assert.deepEqual(await of('object.nope', {}, [rule('*', 'pods')]), []);
  assert.deepEqual(await of('object.nope', {}, [rule('', 'pods/exec')]), []);
  assert.deepEqual(await of('object.nope', {}, [rule('', 'nothings')]), []);
});

test('checkTypes tells of each kind in order', async () => {
  const [warning] = await of('object.nope', {}, [rule('', 'pods'), rule('', 'configmaps')]);
  const kinds = [...(warning?.warning ?? '').matchAll(/Kind=(\w+)/g)].map(([, kind]) => kind);
  assert.deepEqual(kinds, ['ConfigMap', 'Pod']);
});
