import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJsonText, scheme } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { ServedResource } from '../registry.ts';
import { Slab, Slabs } from '../storage/slabs.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { encodeAnswer, longList } from './answer.ts';
import { longFormed } from './formed-list.ts';
import { jsonBytes } from './forms.ts';
import type { OutputFormat } from './negotiate.ts';
import { encodeValue } from './print.ts';
import { listParts } from './transform.ts';

type List = Extract<Content, { type: 'list' }>;

const noQuery = new URLSearchParams();
const text = 'line\n\n  "items": [] ü\nitems: []\n "rows":[] <&> \u2028';

const kinds: Readonly<Record<string, { apiVersion: string; kind: string; of: (index: number) => object }>> = {
  ConfigMap: { apiVersion: 'v1', kind: 'ConfigMap', of: (index) => ({ data: { [text]: text, n: String(index) } }) },
  Secret: {
    apiVersion: 'v1',
    kind: 'Secret',
    of: (index) => ({ type: 'Opaque', data: { k: btoa(`bytes ${index}`) } }),
  },
  Pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    of: (index) => ({ spec: { containers: [{ name: `c-${index}`, resources: { limits: { cpu: '1' } } }] } }),
  },
  custom: {
    apiVersion: 'x.io/v1',
    kind: 'Foo',
    of: (index) => ({ spec: { [text]: [index, 1.5, null, { a: text }] } }),
  },
};

function resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ServedResource {
  const info = scheme.byKind(apiVersion, kind);
  const known = { kind, apiVersion, group: '', plural: 'things', custom: !info, conversion: {} };
  return {
    ...known,
    info: info ?? { columns: [] },
    shape: info?.shape ?? {},
    definition: info?.definition ?? {},
  } as unknown as ServedResource;
}

function listOf(name: string, format: OutputFormat, count = 3): List {
  const { apiVersion, kind, of } = kinds[name]!;
  const resource = resourceOf({ apiVersion, kind });
  const objects = Array.from({ length: count }, (_, index) => {
    const metadata = { name: `n-${index}`, namespace: 'a', resourceVersion: '1', annotations: { text } };
    const object = { kind, apiVersion, metadata, ...of(index) };
    const json = resource.custom ? JSON.stringify(object) : encodeJsonText(object, resource.shape);
    return new StoredObject({ key: `/registry/things/a/n-${index}`, namespace: 'a' }, 1, Buffer.from(json));
  });
  return { type: 'list', resource, objects, metadata: { resourceVersion: '7', continue: 'go on' }, format };
}

const encodings = ['json', 'yaml', 'cbor'] as const;
const transforms = [undefined, 'Table', 'PartialObjectMetadataList'] as const;
const formats = encodings.flatMap((encoding) =>
  transforms.flatMap((transform): OutputFormat[] => {
    const compact = { encoding, transform, pretty: false };
    return encoding === 'json' ? [compact, { ...compact, pretty: true }] : [compact];
  }),
);

test('longFormed makes in pieces what encodeValue makes of the list as a whole', () => {
  for (const name of Object.keys(kinds)) {
    for (const format of formats) {
      const list = listOf(name, format);
      const { head, field, item } = listParts(list, 0, noQuery);
      const expected = encodeValue({ ...head, [field]: list.objects.map(item) }, format).toString('latin1');
      for (const bytesMin of [1, 500, Infinity]) {
        const pieces = [...longFormed(list, 0, noQuery).pieces(bytesMin)];
        assert.equal(Buffer.concat(pieces).toString('latin1'), expected, `${name} ${JSON.stringify(format)}`);
      }
      assert.equal(encodeAnswer(list, 0, noQuery).body.toString('latin1'), expected);
    }
  }
});

test('encodeAnswer makes lists of nothing', () => {
  for (const format of formats) {
    const list = listOf('ConfigMap', format, 0);
    const { head, field } = listParts(list, 0, noQuery);
    const expected = encodeValue({ ...head, [field]: [] }, format);
    assert.deepEqual(encodeAnswer(list, 0, noQuery).body, expected, JSON.stringify(format));
  }
});

/** Objects that count how often they are decoded. */
class CountedObject extends StoredObject {
  static decoded = 0;

  override get passingObject() {
    CountedObject.decoded += 1;
    return super.passingObject;
  }
}

function countedList(format: OutputFormat, count: number): List {
  const list = listOf('ConfigMap', format, 1);
  const [{ bytes }] = list.objects as [StoredObject];
  const padded = Buffer.from(bytes.toString().replace('"n":"0"', `"n":"${'x'.repeat(20_000)}"`));
  const names = { key: '/registry/things/a/n', namespace: 'a' };
  return { ...list, objects: Array.from({ length: count }, () => new CountedObject(names, 1, padded)) };
}

test('longList decodes a piece of a list at a time, and its objects wait as what is lent', async () => {
  for (const format of [...formats, { encoding: 'protobuf', transform: 'PartialObjectMetadataList', pretty: false }]) {
    if (format.encoding === 'json' && !format.transform && !format.pretty) continue;
    const list = countedList(format as OutputFormat, 250);
    const long = await longList(list, 0, noQuery);
    assert.ok(long);
    assert.ok(list.objects.every(({ isLent }) => isLent));
    CountedObject.decoded = 0;
    const pieces = long.pieces(100_000);
    pieces.next();
    pieces.next();
    assert.ok(CountedObject.decoded <= 10, `${CountedObject.decoded} of 250 are decoded: ${JSON.stringify(format)}`);
  }
  assert.equal(longList(countedList({ encoding: 'yaml', pretty: false }, 200), 0, noQuery), undefined);
});

test('longList joins the JSON of objects that are stored as another version, and keeps none of it', async () => {
  const format = { encoding: 'json', pretty: false } as const;
  const stored = countedList(format, 250);
  const conversion = { fromStored: (object: object) => ({ ...object, apiVersion: 'v2' }) };
  const resource = { ...stored.resource, apiVersion: 'v2', conversion } as unknown as ServedResource;
  const list = { ...stored, resource };
  const long = (await longList(list, 0, noQuery))!;
  assert.equal(long.length, undefined);
  const body = Buffer.concat([...long.pieces(100_000)]);
  assert.ok(list.objects.every((object) => !object.hasForm('json:v2')));
  assert.ok(body.equals(encodeAnswer(list, 0, noQuery).body));
  const plain = (await longList(stored, 0, noQuery))!;
  assert.equal(Buffer.concat([...plain.pieces(100_000)]).length, plain.length);
});

test('longList puts metadata alone into protobuf, as its shape does', async () => {
  const format = { encoding: 'protobuf', transform: 'PartialObjectMetadataList', pretty: false } as const;
  const list = countedList(format, 250);
  const { head, item } = listParts(list, 0, noQuery);
  const expected = encodeValue({ ...head, items: list.objects.map(item) }, format);
  const long = (await longList(list, 0, noQuery))!;
  const body = Buffer.concat([...long.pieces(100_000)]);
  assert.equal(body.length, long.length);
  assert.ok(body.equals(expected));
  assert.ok(encodeAnswer(list, 0, noQuery).body.equals(expected));
});

test('jsonBytes of a custom object are where it is, also when it has moved', () => {
  const [object] = listOf('custom', { encoding: 'json', pretty: false }, 1).objects;
  const conversion = { readForm: 'custom:1', fromStored: (each: object) => each };
  const resource = { ...resourceOf(kinds['custom']!), conversion } as unknown as ServedResource;
  const slab = new Slab(new Slabs());
  const before = jsonBytes(object!, resource).toString();
  object!.bytes.copy(slab.bytes);
  object!.move(slab, 0);
  assert.equal(jsonBytes(object!, resource).buffer, slab.bytes.buffer);
  assert.equal(jsonBytes(object!, resource).toString(), before);
});
