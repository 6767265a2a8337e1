import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheme } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { OutputFormat } from './negotiate.ts';
import { WatchEncoder } from './watch-frames.ts';

const info = scheme.byKind('v1', 'ConfigMap')!;
const resource = {
  group: '',
  plural: 'configmaps',
  kind: 'ConfigMap',
  apiVersion: 'v1',
  conversion: {},
  info,
  shape: info.shape,
  definition: info.definition,
} as unknown as ServedResource;

function added(revision: number) {
  const text = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"${revision}"}}`;
  const object = new StoredObject(
    { key: '/registry/core/configmaps/a/a', namespace: 'a' },
    revision,
    Buffer.from(text),
  );
  return { type: 'ADDED', object } as const;
}

test('WatchEncoder makes a batch once for all watches of a form, however the forms are mixed', () => {
  const partial = { transform: 'PartialObjectMetadata', pretty: false } as const;
  const shared: readonly OutputFormat[] = [
    { encoding: 'json', pretty: false },
    { encoding: 'protobuf', pretty: false },
    { encoding: 'cbor', pretty: false },
    { ...partial, encoding: 'json' },
    { ...partial, encoding: 'json', transformVersion: 'v1beta1' },
    { ...partial, encoding: 'protobuf' },
  ];
  const encode = (format: OutputFormat, items: readonly ReturnType<typeof added>[]) =>
    new WatchEncoder(resource, format, new URLSearchParams(), () => 0).batch(items);
  for (const revision of [1, 2]) {
    const items = [added(revision)];
    const batches = shared.map((format) => encode(format, items));
    assert.equal(new Set(batches.map((bytes) => bytes.toString('latin1'))).size, shared.length);
    for (const [index, format] of shared.entries()) {
      assert.equal(encode(format, items), batches[index], JSON.stringify(format));
    }
  }
  const table: OutputFormat = { encoding: 'json', transform: 'Table', pretty: false };
  const items = [added(3)];
  assert.notEqual(encode(table, items), encode(table, items));
});

test('WatchEncoder tells metadata as it is stored, and decodes nothing for that', () => {
  const format: OutputFormat = { encoding: 'json', transform: 'PartialObjectMetadata', pretty: false };
  const start = StoredObject.decodedCount;
  const bytes = new WatchEncoder(resource, format, new URLSearchParams(), () => 0).batch([added(4)]);
  const head = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"';
  const object = `${head},"metadata":{"name":"a","resourceVersion":"4"}}`;
  assert.equal(bytes.toString(), `{"type":"ADDED","object":${object}}\n`);
  assert.equal(StoredObject.decodedCount, start);
});
