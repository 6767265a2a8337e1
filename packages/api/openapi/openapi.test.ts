import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WireReader } from '../codec/protobuf/wire-reader.ts';
import { scheme } from '../scheme.ts';
import type { Schema } from './schemas.ts';
import { openApiV2 } from './v2.ts';
import { openApiV2Protobuf } from './v2-protobuf.ts';
import { openApiV3 } from './v3.ts';

const apps = scheme.resources.filter((info) => info.group === 'apps');
const release = '1.37';
const custom = {
  kind: { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
  plural: 'crontabs',
  namespaced: true,
  verbs: ['create', 'get', 'list', 'patch'],
  subresources: [],
  schema: { type: 'object', properties: { spec: { type: 'object', nullable: true } } },
};

/** The part of a document at a path of keys. */
function at(document: Schema, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => (value as Schema | undefined)?.[key], document);
}

const v3 = openApiV3({ operations: [], resources: apps }, release);
const schemas = (name: string) => at(v3, 'components', 'schemas', name) as Schema;

test('openApiV3 describes fields as kube-openapi does', () => {
  const deployment = schemas('io.k8s.api.apps.v1.Deployment');
  assert.deepEqual(deployment['x-kubernetes-group-version-kind'], [
    { group: 'apps', version: 'v1', kind: 'Deployment' },
  ]);
  assert.deepEqual(at(schemas('io.k8s.api.apps.v1.DeploymentSpec'), 'properties', 'strategy'), {
    allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
    default: {},
    'x-kubernetes-patch-strategy': 'retainKeys',
  });
  assert.deepEqual(schemas('io.k8s.api.apps.v1.DeploymentSpec')['required'], ['selector', 'template']);
  assert.deepEqual(at(schemas('io.k8s.api.core.v1.Container'), 'properties', 'ports'), {
    type: 'array',
    items: { $ref: '#/components/schemas/io.k8s.api.core.v1.ContainerPort' },
    'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'containerPort',
    'x-kubernetes-patch-strategy': 'merge',
  });
});

test('openApiV3 says what kubectl looks for before it validates and patches', () => {
  const patch = at(v3, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch') as Schema;
  const names = (patch['parameters'] as readonly { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  assert.equal(patch['operationId'], 'patchAppsV1NamespacedDeployment');
  assert.equal(patch['x-kubernetes-action'], 'patch');
  assert.deepEqual(patch['x-kubernetes-group-version-kind'], { group: 'apps', version: 'v1', kind: 'Deployment' });
  assert.ok(at(patch, 'requestBody', 'content', 'application/strategic-merge-patch+json'));
});

test('openApiV3 has a document whose references all lead somewhere, for every group and version', () => {
  for (const [, resources] of Map.groupBy(scheme.resources, ({ kind }) => kind.apiVersion)) {
    const document = openApiV3({ operations: [], resources }, release);
    const defined = Object.keys(at(document, 'components', 'schemas') as Schema);
    const missing = references(document, '#/components/schemas/').filter((name) => !defined.includes(name));
    assert.deepEqual(missing, []);
  }
});

test('openApiV3 takes the schema of a custom resource, without strategic merge', () => {
  const document = openApiV3({ operations: [], resources: [custom] }, release);
  const properties = at(document, 'components', 'schemas', 'com.example.stable.v1.CronTab', 'properties') as Schema;
  assert.deepEqual(Object.keys(properties).sort(), ['apiVersion', 'kind', 'metadata', 'spec']);
  assert.ok(at(document, 'components', 'schemas', 'com.example.stable.v1.CronTabList'));
  const path = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}';
  const content = at(document, 'paths', path, 'patch', 'requestBody', 'content') as Schema;
  assert.deepEqual(Object.keys(content), [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ]);
});

test('openApiV2 has all resources, and leaves out what only version 3 knows', () => {
  const document = openApiV2([...apps, custom], { release });
  const defined = Object.keys(document['definitions'] as Schema);
  assert.deepEqual(
    references(document, '#/definitions/').filter((name) => !defined.includes(name)),
    [],
  );
  assert.deepEqual(at(document, 'definitions', 'com.example.stable.v1.CronTab', 'properties', 'spec'), {});
  assert.ok(at(document, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale', 'get'));
});

test('openApiV2Protobuf is a gnostic document with the same paths and definitions', () => {
  const document = openApiV2(apps, { release });
  const wire = new WireReader(openApiV2Protobuf(document));
  const counts: Record<number, number> = {};
  while (wire.hasMore) {
    const tag = wire.varint();
    const part = wire.message();
    if (tag >> 3 === 8 || tag >> 3 === 9) counts[tag >> 3] = countOf(part);
  }
  assert.equal(counts[8], Object.keys(document['paths'] as Schema).length);
  assert.equal(counts[9], Object.keys(document['definitions'] as Schema).length);
});

function countOf(wire: WireReader): number {
  let count = 0;
  for (; wire.hasMore; count++) wire.skip(wire.varint() & 7);
  return count;
}

function references(document: Schema, prefix: string): string[] {
  const found = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
  const names = [...found].map(([, reference = '']) => reference).filter((reference) => reference.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length)))];
}

test('openApiV2Protobuf writes schemas of several types, as extension servers may have them', () => {
  const bytes = (type: unknown) => Buffer.from(openApiV2Protobuf({ definitions: { A: { type } } })).toString('latin1');
  // Schema { type = 22 { value = 1 } }
  assert.ok(bytes('string').endsWith('\xb2\x01\x08\x0a\x06string'));
  assert.ok(bytes(['string', 'null']).endsWith('\xb2\x01\x0e\x0a\x06string\x0a\x04null'));
  assert.throws(() => bytes([{}]));
});
