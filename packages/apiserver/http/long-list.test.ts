import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { decodeCbor, decodeProtobuf, decodeYaml, findShape, scheme } from '@kubernode/api';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import type { OutputFormat } from '../encode/negotiate.ts';
import { createPki } from '../pki/pki.ts';
import type { ServedResource } from '../registry.ts';
import type { ServerRequest } from '../request.ts';
import { startServed } from '../served-testing.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { writeResponse, type Outgoing } from './response.ts';

test('writeResponse streams a list that is long, also compressed', async (t) => {
  const server = await startServed({ clock: new FakeClock() });
  t.after(() => server.stop());
  const collection = `${server.url}/api/v1/namespaces/default/configmaps`;
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const valueOf = (name: string) => name.repeat(900_000);
  for (const name of names) {
    const body = JSON.stringify({ metadata: { name }, data: { value: valueOf(name) } });
    const made = await fetch(collection, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    assert.equal(made.status, 201);
  }
  const plain = await fetch(collection, { headers: { 'accept-encoding': 'identity' } });
  const text = await plain.text();
  assert.equal(Number(plain.headers.get('content-length')), Buffer.byteLength(text));
  const list = JSON.parse(text) as { kind: string; items: { metadata: { name: string }; data: { value: string } }[] };
  assert.equal(list.kind, 'ConfigMapList');
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    names,
  );
  assert.ok(list.items.every(({ metadata, data }) => data.value === valueOf(metadata.name)));
  const packed = await fetch(collection, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  // fetch has unpacked it already.
  assert.equal(await packed.text(), text);
  for (const encoding of ['identity', 'gzip']) {
    const answer = await fetch(`${collection}?limit=2`, { headers: { 'accept-encoding': encoding } });
    const page = (await answer.json()) as typeof list;
    assert.deepEqual(page.items, list.items.slice(0, 2), encoding);
  }
  const none = await fetch(`${collection}?labelSelector=none`);
  assert.deepEqual(((await none.json()) as typeof list).items, []);
});

test('writeResponse shows each reader of a list what is there, though many share its items', async (t) => {
  const server = await startServed({ clock: new FakeClock() });
  t.after(() => server.stop());
  const collection = `${server.url}/api/v1/namespaces/default/configmaps`;
  const headers = { 'content-type': 'application/json' };
  const protobuf = 'application/vnd.kubernetes.protobuf';
  const list = async (accept = 'application/json') => {
    const answer = await fetch(collection, { headers: { 'accept-encoding': 'identity', accept } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(Number(answer.headers.get('content-length')), bytes.length);
    const { items } = (accept === protobuf ? decodeProtobuf(bytes).object : JSON.parse(bytes.toString())) as {
      items: { metadata: { name: string }; data: { value: string } }[];
    };
    return items.map(({ metadata, data }) => `${metadata.name}:${data.value[0]}:${data.value.length}`);
  };
  const write = async (name: string, letter: string, length = 80_000) => {
    const body = JSON.stringify({ metadata: { name }, data: { value: letter.repeat(length) } });
    const made = await fetch(`${collection}/${name}`, { method: 'PUT', headers, body });
    if (made.status === 404) await fetch(collection, { method: 'POST', headers, body });
  };
  await write('a', 'x');
  await write('b', 'y');
  const told = await Promise.all([list(), list(), list(protobuf), list(), list(protobuf)]);
  for (const items of told) assert.deepEqual(items, ['a:x:80000', 'b:y:80000']);
  await write('b', 'z', 70_000);
  const [changed, alsoChanged] = await Promise.all([list(), list(protobuf), list()]);
  assert.deepEqual(changed, ['a:x:80000', 'b:z:70000']);
  assert.deepEqual(alsoChanged, changed);
  assert.deepEqual(await list(), changed);
  assert.deepEqual(await list(protobuf), changed);
});

test('writeResponse sends a long list as it is to a slow reader on HTTP/2', async (t) => {
  const clock = new FakeClock();
  const server = await startServed({ clock, tls: createPki({ clock }).serving });
  t.after(() => server.stop());
  const admin = server.transport('system:admin');
  const path = '/api/v1/namespaces/default/configmaps';
  const items: { data: object }[] = [];
  for (let index = 0; index < 200; index += 1) {
    const name = `c-${String(index).padStart(3, '0')}`;
    items.push(
      await admin.request<{ data: object }>({
        method: 'POST',
        path,
        body: { metadata: { name }, data: { a: name.repeat(5_000) } },
      }),
    );
  }
  const session = connect(server.url!, { rejectUnauthorized: false });
  t.after(() => session.destroy());
  const stream = session.request({ ':path': path });
  let told = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    told += chunk as string;
    await setImmediate();
  }
  const list = JSON.parse(told) as { items: { data: object }[] };
  assert.deepEqual(
    list.items.map(({ data }) => data),
    items.map(({ data }) => data),
  );
});

interface Named {
  readonly metadata: { readonly name: string };
}
interface Listed {
  readonly kind: string;
  readonly items?: readonly Named[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object: Named }[];
}

const meta = 'g=meta.k8s.io;v=v1';
const json = (bytes: Buffer) => JSON.parse(bytes.toString()) as unknown;
const forms: readonly (readonly [accept: string, decode: (bytes: Buffer) => unknown])[] = [
  ['application/json;pretty=1', json],
  ['application/yaml', (bytes) => decodeYaml(bytes.toString().replaceAll(/v{100,}/g, 'v')).value],
  ['application/cbor', decodeCbor],
  ['application/vnd.kubernetes.protobuf', (bytes) => decodeProtobuf(bytes).object],
  [`application/json;as=Table;${meta}`, json],
  [`application/yaml;as=Table;${meta}`, (bytes) => decodeYaml(bytes).value],
  [`application/json;as=PartialObjectMetadataList;${meta}`, json],
  [`application/cbor;as=PartialObjectMetadataList;${meta}`, decodeCbor],
  [
    `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}`,
    (bytes) => decodeProtobuf(bytes, findShape('meta.k8s.io/v1', 'PartialObjectMetadataList')).object,
  ],
];

test('writeResponse streams long lists in every form', async (t) => {
  const server = await startServed({ clock: new FakeClock(), featureGates: { CBORServingAndStorage: true } });
  t.after(() => server.stop());
  const path = '/api/v1/namespaces/default/configmaps';
  const transport = server.transport('system:admin');
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const data = { value: 'v'.repeat(720_000) };
  for (const name of names) await transport.request({ method: 'POST', path, body: { metadata: { name }, data } });
  for (const [accept, decode] of forms) {
    for (const encoding of accept.includes('json') ? ['identity', 'gzip'] : ['identity']) {
      const answer = await fetch(`${server.url}${path}`, { headers: { accept, 'accept-encoding': encoding } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
      const list = decode(Buffer.from(await answer.arrayBuffer())) as Listed;
      const objects = list.items ?? list.rows?.map(({ object }) => object);
      assert.deepEqual(
        objects?.map(({ metadata }) => metadata.name),
        names,
        accept,
      );
    }
  }
  const unknown = await fetch(`${server.url}${path}?includeObject=All`, { headers: { accept: forms[4]![0] } });
  assert.equal(unknown.status, 400);
});

/** An answer that takes one piece after the other, when it is told to. */
function slowOutgoing() {
  const taken: Buffer[] = [];
  const told: { code?: number; take: () => void } = { take: () => {} };
  const outgoing = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      taken.push(piece);
      told.take = done;
    },
  });
  const writeHead = (code: number) => (told.code = code);
  return { outgoing: Object.assign(outgoing, { writeHead }) as unknown as Outgoing, taken, told };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await setImmediate();
}

/** A list as a Table of 60 objects of 100 kB, of which the one at `broken` is none; how it is answered. */
function tableOfMany(broken?: number) {
  const info = scheme.byKind('v1', 'ConfigMap')!;
  const known = { group: '', plural: 'configmaps', kind: 'ConfigMap', apiVersion: 'v1', conversion: {} };
  const resource = { ...known, info, shape: info.shape, definition: info.definition } as unknown as ServedResource;
  const objects = Array.from({ length: 60 }, (_, index) => {
    const value = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: `c-${index}` },
      data: { k: 'v'.repeat(1e5) },
    };
    const text = index === broken ? '{'.repeat(1e5) : JSON.stringify(value);
    return new StoredObject({ key: `/registry/core/configmaps/a/c-${index}`, namespace: 'a' }, 1, Buffer.from(text));
  });
  const format: OutputFormat = { encoding: 'json', transform: 'Table', pretty: false };
  const content = { type: 'list', resource, objects, metadata: { resourceVersion: '1' }, format } as const;
  const sizes: number[] = [];
  const { outgoing, taken, told } = slowOutgoing();
  const writing = writeResponse(
    { code: 200, content, onSize: (bytes) => sizes.push(bytes) },
    { headers: {}, query: new URLSearchParams() } as unknown as ServerRequest,
    outgoing,
    { clock: new FakeClock(), log: silentLogger } as unknown as ServerContext,
    {},
  );
  return { outgoing, taken, told, writing, sizes };
}

test('writeResponse makes the next piece of a list when the one before is taken', async () => {
  const { outgoing, taken, told, writing, sizes } = tableOfMany();
  for (let count = 1; count <= 5; count += 1) {
    await turns();
    assert.equal(taken.length, count);
    told.take();
  }
  assert.deepEqual(sizes, []);
  while (!outgoing.writableFinished) {
    await turns();
    told.take();
  }
  await writing;
  const body = Buffer.concat(taken);
  assert.equal((JSON.parse(body.toString()) as Listed).rows?.length, 60);
  assert.deepEqual(sizes, [body.length]);
});

test('writeResponse says what goes wrong with the first piece of a list, and cuts off what is in the middle', async () => {
  const first = tableOfMany(0);
  await turns();
  assert.equal(first.told.code, 500);
  const later = tableOfMany(30);
  while (!later.outgoing.destroyed) {
    await turns();
    later.told.take();
  }
  await later.writing;
  assert.equal(later.told.code, 200);
  assert.equal(later.outgoing.writableFinished, false);
});
