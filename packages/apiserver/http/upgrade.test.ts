import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { scheme } from '@kubernode/api';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import type { ServedResource } from '../registry.ts';
import type { ServerRequest } from '../request.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { writeRaw } from './upgrade.ts';

/** 60 ConfigMaps of 100 kB. */
function longContent() {
  const info = scheme.byKind('v1', 'ConfigMap')!;
  const known = { group: '', plural: 'configmaps', kind: 'ConfigMap', apiVersion: 'v1', conversion: {} };
  const resource = { ...known, info, shape: info.shape, definition: info.definition } as unknown as ServedResource;
  const objects = Array.from({ length: 60 }, (_, index) => {
    const names = { key: `/registry/core/configmaps/a/c-${index}`, namespace: 'a' };
    const type = { kind: 'ConfigMap', apiVersion: 'v1' };
    const value = { ...type, metadata: { name: `c-${index}` }, data: { k: 'v'.repeat(100_000) } };
    return new StoredObject(names, 1, Buffer.from(JSON.stringify(value)));
  });
  const format = { encoding: 'json', pretty: false } as const;
  return { type: 'list', resource, objects, metadata: { resourceVersion: '1' }, format } as const;
}

test('writeRaw makes the next piece of a long list when the one before is taken', async () => {
  const written: Buffer[] = [];
  let take = () => {};
  const socket = new Duplex({
    read() {},
    writableHighWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      written.push(piece);
      take = done;
    },
  });
  const request = { headers: {}, query: new URLSearchParams() } as unknown as ServerRequest;
  const limits = { lingerMs: 1_000 };
  const server = { clock: new FakeClock(), log: silentLogger, limits } as unknown as ServerContext;
  const writing = writeRaw({ code: 200, content: longContent() }, request, socket, server, {});
  const turns = async () => {
    for (let count = 0; count < 10; count += 1) await setImmediate();
  };
  await turns();
  take();
  await turns();
  assert.equal(written.length, 2, 'the head and a piece');
  assert.ok(written[1]!.length < 300_000);
  while (!socket.writableFinished) {
    take();
    await turns();
  }
  await writing;
  const [head, body] = Buffer.concat(written).toString().split('\r\n\r\n');
  assert.match(head!, new RegExp(`^HTTP/1\\.1 200 OK\\r\\n.*content-length: ${body!.length}$`, 's'));
  assert.equal((JSON.parse(body!) as { readonly items: readonly unknown[] }).items.length, 60);
});

/** What is written for a short answer to this. */
async function writtenFor(method: string, code: number, warnings?: readonly string[]): Promise<string> {
  const written: Buffer[] = [];
  const socket = new Duplex({ read() {}, write: (piece: Buffer, _encoding, done) => done(void written.push(piece)) });
  const request = { method, headers: {}, query: new URLSearchParams() } as unknown as ServerRequest;
  const server = { clock: new FakeClock(), log: silentLogger, limits: { lingerMs: 1_000 } };
  const content = { type: 'bytes', contentType: 'text/plain', bytes: 'ok' } as const;
  await writeRaw({ code, content, warnings }, request, socket, server as unknown as ServerContext, {});
  return Buffer.concat(written).toString();
}

const bodiless: readonly (readonly [what: string, method: string, code: number, answer: RegExp])[] = [
  ['an answer to HEAD', 'HEAD', 200, /\r\ncontent-length: 2\r\n\r\n$/],
  ['204', 'GET', 204, /^(?!.*content-length).*\r\n\r\n$/s],
];
for (const [what, method, code, answer] of bodiless) {
  test(`writeRaw: ${what} has no body`, async () => {
    assert.match(await writtenFor(method, code), answer);
  });
}

test('writeRaw: an answer says what the request was warned of', async () => {
  const told = await writtenFor('GET', 200, ['old', 'odd']);
  assert.match(told, /\r\nwarning: 299 - "old"\r\nwarning: 299 - "odd"\r\n/);
});
