import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { StatusError } from '@kubernode/api';
import { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock } from '@kubernode/machinery';
import { createClient } from './client.ts';
import { httpsTransport } from './https-transport.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that answers one request after the other as told. */
async function setUp(t: TestContext, ...answers: Answer[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume().on('end', () => answers.shift()?.(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = new FakeClock();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = httpsTransport({ server: `${address}/proxy/`, token: 'secret', clock });
  t.after(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { transport, client: createClient(transport), clock, seen };
}

function json(code: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

test('httpsTransport sends path, query, credentials and body', async (t) => {
  const { client, seen } = await setUp(t, json(201, { metadata: { name: 'a' } }));
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }, { dryRun: true });
  assert.equal(seen[0]?.url, '/proxy/api/v1/namespaces/x/configmaps?dryRun=All');
  assert.equal(seen[0]?.headers.authorization, 'Bearer secret');
  assert.equal(seen[0]?.headers['content-type'], 'application/json');
});

test('httpsTransport throws the Status of an answer, or makes one', async (t) => {
  const status = {
    kind: 'Status',
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    message: 'configmaps "a" not found',
  };
  const { client } = await setUp(t, json(404, status), (_, response) => response.writeHead(503).end('upstream gone'));
  await assert.rejects(client.get(ConfigMap, 'a', 'x'), (error: unknown) => {
    return error instanceof StatusError && error.reason === 'NotFound' && error.message === 'configmaps "a" not found';
  });
  await assert.rejects(client.get(ConfigMap, 'a', 'x'), (error: unknown) => {
    return error instanceof StatusError && error.reason === 'ServiceUnavailable' && error.message === 'upstream gone';
  });
});

test('httpsTransport comes back when the server asks it to, and tries a GET again that was cut', async (t) => {
  const cut: Answer = (request) => request.socket.destroy();
  const { client, clock, seen } = await setUp(t, json(429, {}, { 'retry-after': '1' }), cut, json(200, { ok: true }));
  const answer = client.get(ConfigMap, 'a', 'x');
  let settled = false;
  void answer.finally(() => (settled = true));
  while (!settled) await clock.advance(100);
  assert.deepEqual(await answer, { ok: true });
  assert.equal(seen.length, 3);
});

test('httpsTransport does not repeat a write, and names what failed', async (t) => {
  const { client, seen } = await setUp(t, (request) => request.socket.destroy());
  await assert.rejects(
    client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }),
    /^Error: POST http:\/\/127.0.0.1:\d+\/api\/v1\/namespaces\/x\/configmaps: /,
  );
  assert.equal(seen.length, 1);
});

test('httpsTransport watch answers batches, ends quietly on abort and throws an ERROR event', async (t) => {
  const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
  const { client } = await setUp(
    t,
    (_, response) => response.writeHead(200).write(event('ADDED', { n: 1 }) + event('MODIFIED', { n: 2 })),
    (_, response) =>
      response.writeHead(200).end(event('ADDED', { n: 3 }) + event('ERROR', { reason: 'Expired', code: 410 })),
  );
  const abort = new AbortController();
  for await (const batch of client.watch(ConfigMap, { signal: abort.signal })) {
    assert.deepEqual(batch, [
      { type: 'ADDED', object: { n: 1 } },
      { type: 'MODIFIED', object: { n: 2 } },
    ]);
    abort.abort();
  }
  const batches: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const batch of client.watch(ConfigMap, { signal: new AbortController().signal })) batches.push(batch);
    },
    (error: unknown) => error instanceof StatusError && error.reason === 'Expired',
  );
  assert.equal(batches.length, 1);
});

test('httpsTransport stream hands over the answer as it comes', async (t) => {
  const { transport } = await setUp(t, (_, response) => response.writeHead(404, { 'x-a': 'b' }).end('text'));
  const { status, headers, body } = await transport.stream({ method: 'GET', path: '/metrics' });
  assert.equal(status, 404);
  assert.equal(headers['x-a'], 'b');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'text');
});
