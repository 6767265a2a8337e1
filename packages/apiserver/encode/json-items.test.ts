import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJsonText, scheme, type KindDefinition } from '@kubernode/api';
import { customColumns } from '../customresources/columns.ts';
import { customShape } from '../customresources/shape.ts';
import type { ServedResource } from '../registry.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { partialJson, rowJson, type JsonParts } from './json-items.ts';
import { joined } from './print.ts';
import { partialOf, rowOf, type IncludeObject } from './table.ts';
import { passingIn } from './value.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const text = 'a "quoted" }],{[ \\ \\" back\\\\ line\n ü 𝕏 \u2028 \ud800 "managedFields":[{}]} <&>';

const managedFields = [
  {
    manager: text,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, [`k:{"a":"}]"}`]: {} } } },
  },
];
const least = { name: 'n', namespace: 'a', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u', controller: true };

const metadatas: readonly object[] = [
  least,
  { resourceVersion: '7', name: 'n' },
  { ...least, managedFields },
  { ...least, labels: {}, annotations: {}, finalizers: [], managedFields: [] },
  { ...least, annotations: { [text]: text, managedFields: '"managedFields":[' }, managedFields },
  { ...least, annotations: { 'ends in a backslash\\': '\\', '': '' }, ownerReferences: [owner], managedFields },
  { ...least, labels: { a: 'b' }, finalizers: ['managedFields', text], deletionTimestamp: '2026-01-01T00:30:00Z' },
  { ...least, annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' }, managedFields },
];

const bodies: Readonly<Record<string, readonly object[]>> = {
  'v1/Pod': [
    { spec: { containers: [{ name: text, image: 'i' }] }, status: { phase: 'Succeeded', reason: text } },
    { spec: {}, status: {} },
  ],
  'v1/ConfigMap': [{}, { data: { [text]: text } }],
  'v1/Node': [{ spec: {}, status: {} }],
  'rbac.authorization.k8s.io/v1/ClusterRole': [{}],
  'autoscaling/v2/HorizontalPodAutoscaler': [{ spec: { scaleTargetRef: { kind: 'K', name: text }, maxReplicas: 3 } }],
  'x.io/v1/Foo': [{}, { spec: { metadata: { a: text }, [text]: [1, 1.5, null, 2n ** 60n] } }],
};

const columns = [
  { name: 'A', type: 'string', jsonPath: '.metadata.managedFields[0].manager' },
  { name: 'B', type: 'string', jsonPath: '.spec' },
];

function resourceOf(name: string, conversion: object): ServedResource {
  const at = name.lastIndexOf('/');
  const [apiVersion, kind] = [name.slice(0, at), name.slice(at + 1)];
  const info = scheme.byKind(apiVersion, kind);
  const known = { kind, apiVersion, group: info?.group ?? 'x.io', plural: info?.plural ?? 'foos', conversion };
  const custom = customColumns(columns);
  const definition = info?.definition ?? ({ row: custom.row } as KindDefinition);
  const rest = { custom: !info, info: info ?? custom, shape: info?.shape ?? customShape, definition };
  return { ...known, ...rest } as unknown as ServedResource;
}

function objectsOf(name: string, { kind, apiVersion, shape }: ServedResource): StoredObject[] {
  return metadatas.flatMap((metadata) =>
    bodies[name]!.map((body) => {
      const json = encodeJsonText({ kind, apiVersion, metadata, ...body }, shape);
      return new StoredObject({ key: '/registry/things/a/n', namespace: 'a' }, 7, Buffer.from(json));
    }),
  );
}

const same = (object: object) => object;
const conversions: Readonly<Record<string, object>> = {
  plain: { fromStored: same },
  'custom, as it is stored': { readForm: 'custom:1', fromStored: same },
  'custom, with a default': { readForm: 'custom:2', fromStored: (object: object) => ({ ...object, added: text }) },
};

const textOf = (parts: JsonParts): string => joined(parts).toString();

for (const [what, conversion] of Object.entries(conversions)) {
  test(`partialJson is what JSON.stringify makes of partialOf: ${what}`, () => {
    for (const name of Object.keys(bodies)) {
      const resource = resourceOf(name, conversion);
      for (const object of objectsOf(name, resource)) {
        const expected = JSON.stringify(partialOf(resource, passingIn(object, resource), 'v1'));
        assert.equal(textOf(partialJson(object, resource, 'v1')), expected);
        assert.equal(textOf(partialJson(object, resource, 'v1')), expected);
      }
    }
  });

  test(`rowJson is what JSON.stringify makes of rowOf: ${what}`, () => {
    for (const name of Object.keys(bodies)) {
      const resource = resourceOf(name, conversion);
      for (const object of objectsOf(name, resource)) {
        for (const include of ['None', 'Metadata', 'Object'] satisfies IncludeObject[]) {
          const options = { include, version: 'v1beta1', nowMs };
          for (const isMarked of [false, true]) {
            const expected = JSON.stringify(rowOf(resource, passingIn(object, resource), options, isMarked));
            for (const keeps of [false, true, true, false]) {
              const found = textOf(rowJson(object, resource, { ...options, isMarked, keeps }));
              assert.equal(found, expected, `${name} ${include}`);
            }
          }
        }
      }
    }
  });
}

test('partialJson decodes nothing of what is served as it is stored', () => {
  const start = StoredObject.decodedCount;
  for (const name of ['v1/Pod', 'v1/ConfigMap']) {
    const resource = resourceOf(name, conversions['plain']!);
    for (const object of objectsOf(name, resource)) partialJson(object, resource, 'v1');
  }
  assert.equal(StoredObject.decodedCount, start);
});

test('partialJson decodes a custom object once to know that it is served as it is stored', () => {
  const resource = resourceOf('x.io/v1/Foo', conversions['custom, as it is stored']!);
  const objects = objectsOf('x.io/v1/Foo', resource);
  const start = StoredObject.decodedCount;
  for (let count = 0; count < 3; count += 1) for (const object of objects) partialJson(object, resource, 'v1');
  assert.equal(StoredObject.decodedCount, start + objects.length);
});

test('partialJson leaves labels in the order of their bytes, as they are served everywhere else', () => {
  const resource = resourceOf('v1/ConfigMap', conversions['plain']!);
  const json = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n","labels":{"10":"a","2":"b"}}}';
  const object = new StoredObject({ key: '/registry/configmaps/a/n', namespace: 'a' }, 7, Buffer.from(json));
  assert.match(textOf(partialJson(object, resource, 'v1')), /"labels":\{"10":"a","2":"b"\}/);
});

test('rowJson decodes a row that it keeps once, and its ages go on', () => {
  const resource = resourceOf('v1/Pod', conversions['plain']!);
  const [object] = objectsOf('v1/Pod', resource);
  const rowAt = (ageMs: number, keeps: boolean) => {
    const atMs = Date.parse(least.creationTimestamp) + ageMs;
    const options = { include: 'Metadata', version: 'v1', nowMs: atMs, isMarked: false, keeps } as const;
    return (JSON.parse(textOf(rowJson(object!, resource, options))) as { cells: unknown[] }).cells[4];
  };
  const start = StoredObject.decodedCount;
  assert.equal(rowAt(5_000, false), '5s');
  assert.equal(rowAt(6_000, false), '6s');
  assert.equal(StoredObject.decodedCount, start + 2);
  assert.equal(rowAt(60_000, true), '60s');
  assert.equal(rowAt(3_600_000, true), '60m');
  assert.equal(rowAt(7_200_000, false), '120m');
  assert.equal(StoredObject.decodedCount, start + 3);
});

test('rowJson keeps no more of a custom resource than its schema and columns are good for', () => {
  const [object] = objectsOf('x.io/v1/Foo', resourceOf('x.io/v1/Foo', conversions['plain']!));
  const options = { include: 'None', version: 'v1', nowMs, isMarked: false, keeps: true } as const;
  const before = resourceOf('x.io/v1/Foo', { readForm: 'custom:3', fromStored: same });
  assert.equal(textOf(rowJson(object!, before, options)), '{"cells":["n",null,null],"object":null}');
  assert.equal(textOf(rowJson(object!, before, options)), '{"cells":["n",null,null],"object":null}');
  const definition = { row: customColumns(undefined).row } as KindDefinition;
  const after = { ...before, definition, conversion: { ...before.conversion, readForm: 'custom:4' } };
  assert.equal(textOf(rowJson(object!, after, options)), '{"cells":["n","1h"],"object":null}');
  assert.equal(textOf(rowJson(object!, after, options)), '{"cells":["n","1h"],"object":null}');
});
