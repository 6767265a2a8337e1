import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
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
