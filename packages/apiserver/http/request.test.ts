import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fromHttp } from './request.ts';

const incoming = (url: string, method = 'GET') =>
  Object.assign(Readable.from([Buffer.from('{}')]), {
    method,
    url,
    headers: {},
    rawHeaders: [],
  }) as unknown as IncomingMessage;

const targets: readonly (readonly [target: string, path: string, query: string])[] = [
  ['/version?a=b', '/version', 'a=b'],
  ['http://a.example:80/version?a=b', '/version', 'a=b'],
  ['HTTPS://a', '/', ''],
  ['http://a?b=/c', '/', 'b=%2Fc'],
  ['//a/version', '//a/version', ''],
  ['*', '*', ''],
];
for (const [target, path, query] of targets) {
  test(`fromHttp: ${target} is ${path}`, () => {
    const request = fromHttp(incoming(target), {}, new AbortController().signal);
    assert.equal(request.path, path);
    assert.equal(String(request.query), query);
    assert.equal(request.credentials?.path, path);
  });
}

test('fromHttp: a body is not waited for when its client has gone before it was asked for', async () => {
  const body = (signal: AbortSignal) => fromHttp(incoming('/', 'POST'), {}, signal).body();
  assert.deepEqual(await body(new AbortController().signal), { bytes: Buffer.from('{}') });
  assert.throws(() => body(AbortSignal.abort()), /the client went away/);
});

test('fromHttp: of a body in small pieces only what is in them is kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const body = new Readable({ read() {} });
  const sent = Object.assign(body, { method: 'POST', url: '/', headers: {} }) as unknown as IncomingMessage;
  const read = fromHttp(sent, {}, new AbortController().signal).body();
  await setImmediate();
  const pieces = Array.from({ length: 1_000 }, () => {
    const piece = Buffer.from('x');
    body.push(piece);
    return new WeakRef(piece);
  });
  await setImmediate();
  collect();
  const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
  assert.ok(kept <= 1, `${kept} pieces`);
  body.push(null);
  assert.deepEqual(await read, { bytes: Buffer.alloc(pieces.length, 'x') });
});
