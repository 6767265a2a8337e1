import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { User } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import type { RequestLimits } from '../request-limits.ts';
import { startServed } from '../served-testing.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

const allowed = () => ({ allowed: true }) as const;

/** A server on a clock that stands still; ConfigMaps named `slow-…` are written once `goOn` is called. */
async function slowServer(requestLimits: Partial<RequestLimits> = {}, tls = false, user?: User) {
  const clock = new FakeClock();
  const { serving } = createPki({ clock });
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const server = await startServed({
    clock,
    requestLimits,
    ...(user ? { security: () => ({ authenticate: () => user, authorize: allowed, admission: [] }) } : {}),
    ...(tls ? { tls: serving } : {}),
    writeHooks: [
      {
        group: '',
        resource: 'configmaps',
        async beforeWrite({ object }) {
          if (!object.metadata.name.startsWith('slow-')) return;
          arrived.resolve();
          await held;
        },
      },
    ],
  });
  const admin = server.transport('system:admin');
  await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
  const send = (method: string, path: string, body?: object) => sendTo(server.url!, method, path, body);
  const slow = (query = '') => send('POST', configMaps + query, { metadata: { name: 'slow-1' } });
  return { clock, server, send, slow, goOn, arrived: arrived.promise };
}

interface Answer {
  readonly code: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function sendTo(url: string, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-type': 'application/json' } : {};
    const sent = httpRequest(url + path, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** Lets the time go by, again if need be: when the server has a request's bytes is the machine's business. */
async function elapsed<T>(clock: FakeClock, byMs: number, awaited: Promise<T>): Promise<T> {
  let isDone = false;
  const done = awaited.finally(() => (isDone = true));
  while (!isDone) await clock.advance(byMs);
  return done;
}

const timedOut =
  '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
  '"reason":"Timeout","details":{},"code":504}\n';

test('a request is cut after the time of the server, or its own', async () => {
  const { clock, server, send, slow, arrived, goOn } = await slowServer();
  const usual = slow();
  await arrived;
  await clock.advance(59_999);
  const short = slow('?timeout=5s');
  await clock.advance(1);
  const { code, text, headers } = await usual;
  assert.deepEqual([code, text, headers['content-type']], [504, timedOut, 'text/plain; charset=utf-8']);
  assert.equal((await elapsed(clock, 5_000, short)).code, 504);
  const wrong = await send('GET', `${configMaps}?timeout=soon`);
  assert.equal(wrong.code, 400);
  assert.match(wrong.text, /invalid timeout specified in the request URL - time: invalid duration \\"soon\\"/);
  assert.equal((await send('GET', `${configMaps}?timeout=1h`)).code, 200);
  goOn();
  await server.stop();
});

test('a body that trickles in is not waited for', async () => {
  const { clock, server } = await slowServer();
  const { hostname, port } = new URL(server.url!);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  );
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  await elapsed(clock, 60_000, closed);
  assert.match(text, /^HTTP\/1\.1 504 /);
  await server.stop();
});

test('a server that ends is not ready, then takes no more, answers what is under way, then ends watches', async () => {
  const { clock, server, send, slow, arrived, goOn } = await slowServer({
    shutdownDelayMs: 10_000,
    shutdownSendsRetryAfter: true,
  });
  const watch = send('GET', `${configMaps}?watch=true`);
  const underWay = slow();
  await arrived;
  const levels = await send('GET', '/debug/api_priority_and_fairness/dump_priority_levels');
  // The write and this very request; the watch has given its seat back.
  assert.match(levels.text, /^exempt, +0, +false, +false, +0, +2,/m);
  const stopped = server.stop();
  assert.equal((await send('GET', '/readyz')).code, 500);
  assert.equal((await send('GET', '/livez')).code, 200);
  assert.equal((await send('GET', configMaps)).code, 200);
  await clock.advance(10_000);
  const refused = await send('GET', configMaps);
  assert.deepEqual([refused.code, refused.headers['retry-after']], [429, '5']);
  assert.equal(refused.text, 'The apiserver is shutting down, please try again later.\n');
  assert.equal((await send('GET', '/livez')).code, 200);
  goOn();
  assert.equal((await underWay).code, 201);
  assert.equal((await watch).code, 200);
  await stopped;
  await assert.rejects(send('GET', '/livez'), { code: 'ECONNREFUSED' });
});

/** A connection that its client keeps, and all that it was told. */
async function keptConnection(url: string, secured: boolean) {
  const to = { port: Number(new URL(url).port), host: '127.0.0.1' };
  const socket = secured ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  let told = '';
  socket.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await once(socket, secured ? 'secureConnect' : 'connect');
  const say = (method: string, path: string, body = '') => {
    const fields = `host: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`${method} ${path} HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
  };
  const ask = async (path: string) => {
    say('GET', path);
    await once(socket, 'data');
  };
  return { say, ask, told: () => told, closed: once(socket, 'close') };
}

/** Resolves when the server takes no connections any more. */
async function deaf(url: string): Promise<void> {
  const { port } = new URL(url);
  for (let isDeaf = false; !isDeaf;) {
    const socket = connect(Number(port), '127.0.0.1');
    isDeaf = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    socket.destroy();
  }
}

for (const secured of [false, true]) {
  const over = secured ? 'TLS' : 'TCP';

  test(`a server that ends ends connections over ${over} with their answers`, async () => {
    const { server, goOn, arrived } = await slowServer({}, secured);
    const watch = await keptConnection(server.url!, secured);
    await watch.ask(`${configMaps}?watch=true&fieldSelector=metadata.name%3Dnone`);
    const asking = await keptConnection(server.url!, secured);
    asking.say('POST', configMaps, JSON.stringify({ metadata: { name: 'slow-1' } }));
    await arrived;
    const stopped = server.stop();
    await deaf(server.url!);
    goOn();
    // The clock stands still: nobody is cut because it is late.
    await Promise.all([stopped, asking.closed, watch.closed]);
    assert.match(asking.told(), /^HTTP\/1\.1 201 .*\r\nconnection: close\r\n/is);
    assert.match(watch.told(), /\r\n0\r\n\r\n$/);
  });

  test(`a server that ends tells who comes back over ${over} to connect anew`, async () => {
    const { server, goOn, arrived } = await slowServer({ shutdownSendsRetryAfter: true }, secured);
    const [first, later] = await Promise.all([
      keptConnection(server.url!, secured),
      keptConnection(server.url!, secured),
    ]);
    await later.ask('/version');
    const holding = await keptConnection(server.url!, secured);
    holding.say('POST', configMaps, JSON.stringify({ metadata: { name: 'slow-1' } }));
    await arrived;
    const stopped = server.stop();
    for (const connection of [first, later]) connection.say('GET', configMaps);
    await Promise.all([first.closed, later.closed]);
    for (const { told } of [first, later]) {
      assert.match(told(), /HTTP\/1\.1 429 (?!.*HTTP).*\r\nconnection: close\r\n/is);
    }
    goOn();
    await stopped;
  });
}

test('a server that ends tells who comes back on HTTP/2 to connect anew', async () => {
  const { server, goOn, arrived } = await slowServer({ shutdownSendsRetryAfter: true }, true);
  const [holding, session] = [
    connectHttp2(server.url!, { rejectUnauthorized: false }),
    connectHttp2(server.url!, { rejectUnauthorized: false }),
  ];
  const headers = { ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' };
  holding
    .request(headers)
    .resume()
    .end(JSON.stringify({ metadata: { name: 'slow-1' } }));
  await arrived;
  const stopped = server.stop();
  const stream = session.request({ ':path': configMaps }).resume();
  const [told] = (await Promise.all([once(stream, 'response'), once(session, 'goaway')]))[0] as [
    Record<string, unknown>,
  ];
  assert.equal(told[':status'], 429);
  goOn();
  await stopped;
});

test('a request beyond the limit is told when to come back', async () => {
  const jane = { name: 'jane', groups: ['system:authenticated'] };
  const limits = { priorityAndFairness: false, writesInFlightMax: 1 };
  const { server, send, slow, arrived, goOn } = await slowServer(limits, false, jane);
  const first = slow();
  await arrived;
  const refused = await send('POST', configMaps, { metadata: { name: 'second' } });
  assert.deepEqual([refused.code, refused.headers['retry-after']], [429, '1']);
  assert.equal(refused.text, 'Too many requests, please try again later.\n');
  assert.equal((await send('GET', configMaps)).code, 200);
  goOn();
  assert.equal((await first).code, 201);
  assert.equal((await send('POST', configMaps, { metadata: { name: 'second' } })).code, 201);
  await server.stop();
});

test('a connection on HTTP/2 is asked to end by chance', async () => {
  const { server } = await slowServer({ goawayChance: 1 }, true);
  const session = connectHttp2(server.url!, { rejectUnauthorized: false });
  const goaway = once(session, 'goaway');
  const stream = session.request({ ':path': '/version' });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  assert.equal(headers[':status'], 200);
  stream.resume();
  await goaway;
  await once(session, 'close');
  await server.stop();
});
