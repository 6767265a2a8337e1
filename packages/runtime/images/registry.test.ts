import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { silentLogger } from '@kubernode/machinery';
import { writeBusyboxImage } from '../testing/busybox-image.ts';
import { sha256 } from './manifest.ts';
import { ImageStore } from './store.ts';

/** A registry on loopback: the blobs of a layout, an index for two platforms, and what a test wants of it. */
let folder: string;
let server: Server;
let host: string;
let index: string;
let corrupt: boolean;
let requests: string[];
let authorize: (request: IncomingMessage, response: ServerResponse) => boolean;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kn-registry-'));
  await writeFile(join(folder, 'busybox'), '#!/bin/true');
  await writeBusyboxImage(join(folder, 'layout'), { name: 'x/y:1', busyboxPath: join(folder, 'busybox') });
  const layout = JSON.parse(await readFile(join(folder, 'layout/index.json'), 'utf8')) as { manifests: object[] };
  const foreign = { digest: sha256('foreign'), size: 1, platform: { os: 'plan9', architecture: 'mips' } };
  index = JSON.stringify({ ...layout, manifests: [foreign, ...layout.manifests] });
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  corrupt = false;
  requests = [];
  authorize = () => true;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${host}`);
  requests.push(url.pathname);
  if (url.pathname === '/token') {
    const known = request.headers.authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
    return void response
      .writeHead(known ? 200 : 401)
      .end(known ? JSON.stringify({ token: url.searchParams.get('scope') }) : '');
  }
  if (!authorize(request, response)) return;
  const [, digest] = /^\/v2\/app\/(?:blobs|manifests)\/sha256:([0-9a-f]{64})$/.exec(url.pathname) ?? [];
  if (url.pathname === '/v2/app/manifests/1') return void response.end(index);
  const blob = digest && (await readFile(join(folder, 'layout/blobs/sha256', digest)).catch(() => undefined));
  if (!blob) return void response.writeHead(404).end();
  response.end(corrupt ? Buffer.concat([blob, Buffer.from(' ')]) : blob);
}

async function openStore(): Promise<ImageStore> {
  const store = await mkdtemp(join(folder, 'store-'));
  return ImageStore.open({ folder: store, log: silentLogger, registry: {}, userOf: () => undefined });
}

test('ImageStore.pull fetches the manifest of this platform and unpacks its layers', async () => {
  const store = await openStore();
  const record = await store.pull(`${host}/app:1`);
  assert.deepEqual(record.tags, [`${host}/app:1`]);
  assert.deepEqual(record.digests, [`${host}/app@${sha256(index)}`]);
  assert.equal(await readFile(join(store.layersFolder, record.layers[0] ?? '', 'bin/busybox'), 'utf8'), '#!/bin/true');
  assert.equal(store.find(`${host}/app@${sha256(index)}`)?.id, record.id);
  requests = [];
  await store.pull(`${host}/app:1`);
  assert.equal(requests.length, 3, 'layers that are here are not fetched again');
});

test('ImageStore.pull answers a bearer challenge with credentials', async () => {
  authorize = (request, response) => {
    if (request.headers.authorization === 'Bearer repository:app:pull') return true;
    const challenge = `Bearer realm="http://${host}/token",service="test",scope="repository:app:pull"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return false;
  };
  const store = await openStore();
  await store.pull(`${host}/app:1`, { credentials: { username: 'me', password: 'secret' } });
  await assert.rejects(store.pull(`${host}/app:1`), { code: 'Unauthenticated' });
});

test('ImageStore.pull answers a basic challenge', async () => {
  authorize = (request, response) => {
    if (request.headers.authorization?.startsWith('Basic ')) return true;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return false;
  };
  const store = await openStore();
  await store.pull(`${host}/app:1`, { credentials: { auth: 'bWU6c2VjcmV0' } });
});

test('ImageStore.pull refuses content that is not what its digest promises', async () => {
  corrupt = true;
  const store = await openStore();
  await assert.rejects(store.pull(`${host}/app:1`), /content has digest sha256:\w+, expected/);
  assert.deepEqual(store.list(), []);
});

test('ImageStore.pull says which image is not there', async () => {
  const store = await openStore();
  await assert.rejects(store.pull(`${host}/app:2`), { code: 'NotFound', message: `${host}/app:2: not found` });
  await assert.rejects(store.pull('127.0.0.1:1/app'), { code: 'Unavailable' });
});
