import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test, type TestContext } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { StatusError } from '@kubernode/api';
import { systemClock } from '@kubernode/machinery';
import type { Security } from '../options.ts';
import { createPki } from '../pki/pki.ts';
import { requestLimitsDefault } from '../request-limits.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const { serving } = createPki({ clock: systemClock });
const requestLimits = { ...requestLimitsDefault, idleTimeoutMs: 300 };
const configMaps = '/api/v1/namespaces/default/configmaps';
/** A version that is still to come: the answer waits for it three seconds. */
const future = `${configMaps}?resourceVersion=999999`;

let server: ApiServer;
before(async () => {
  server = await startServed({ tls: serving });
});
after(() => server.stop());

const get = (path = '/version', ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: a', ...fields, '', ''].join('\r\n');
const post = (name: string, more = '') => {
  const body = JSON.stringify({ metadata: { name }, data: { more } });
  const fields = ['host: a', 'content-type: application/json', `content-length: ${body.length}`];
  return [`POST ${configMaps} HTTP/1.1`, ...fields, '', body].join('\r\n');
};

interface Answer {
  readonly code: number;
  readonly head: string;
  readonly body: string;
  /** Node says how long it keeps the connection; what goes past it says nothing, as upstream. */
  readonly isNodes: boolean;
}

/** A connection, and its answers in their order. */
class Client {
  readonly socket: TLSSocket;
  #text = '';
  readonly #closed: Promise<unknown>;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => (this.#text += chunk.toString('latin1')));
    socket.on('error', () => {});
    this.#closed = once(socket, 'close');
  }

  send(...pieces: string[]): void {
    this.socket.write(pieces.join(''));
  }

  async answer(): Promise<Answer> {
    for (;;) {
      const end = this.#text.indexOf('\r\n\r\n');
      const head = this.#text.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end >= 0 && this.#text.length >= end + 4 + length) {
        const body = this.#text.slice(end + 4, end + 4 + length);
        this.#text = this.#text.slice(end + 4 + length);
        return { code: Number(head.slice(9, 12)), head, body, isNodes: /^keep-alive: /im.test(head) };
      }
      const more = await Promise.race([once(this.socket, 'data'), this.#closed.then(() => undefined)]);
      if (!more) throw new Error(`the connection was closed after ${JSON.stringify(this.#text)}`);
    }
  }

  async ask(...pieces: string[]): Promise<Answer> {
    this.send(...pieces);
    return this.answer();
  }

  get closed(): Promise<unknown> {
    return this.#closed;
  }

  /** All that came, and was not taken for an answer. */
  get rest(): string {
    return this.#text;
  }
}

/** Its first request is answered: from here on it has a lane. */
async function greeted(t: TestContext, { url } = server): Promise<Client> {
  const socket = connect({ port: Number(new URL(url!).port), host: '127.0.0.1', rejectUnauthorized: false });
  t.after(() => socket.destroy());
  await once(socket, 'secureConnect');
  const client = new Client(socket);
  assert.equal((await client.ask(get())).isNodes, true);
  return client;
}

test('a lane answers as Node does, in one piece', async (t) => {
  const client = await greeted(t);
  const answer = await client.ask(get());
  assert.deepEqual([answer.code, answer.isNodes], [200, false]);
  assert.match(answer.head, /^HTTP\/1\.1 200 OK\r\n/);
  for (const field of [/^audit-id: [\da-f-]{36}$/m, /^cache-control: no-cache, private$/m, /^date: .* GMT$/m]) {
    assert.match(answer.head.replaceAll('\r', ''), field);
  }
  assert.equal(JSON.parse(answer.body).minor, '37');
  assert.match((await client.ask(get('/version', 'audit-id: mine'))).head, /^audit-id: mine$/m);
  const made = await client.ask(post('one'));
  assert.deepEqual([made.code, made.isNodes, JSON.parse(made.body).metadata.name], [201, false, 'one']);
  assert.match(made.head, /^HTTP\/1\.1 201 Created\r\n/);
  const missing = await client.ask(get(`${configMaps}/none`));
  assert.deepEqual([missing.code, missing.isNodes, JSON.parse(missing.body).reason], [404, false, 'NotFound']);
});

test('a lane has Node write what is long, and lists', async (t) => {
  const client = await greeted(t);
  await client.ask(post('long', 'x'.repeat(40_000)));
  const read = await client.ask(get(`${configMaps}/long`));
  assert.equal(JSON.parse(read.body).data.more.length, 40_000);
  const packed = await client.ask(get(configMaps, 'accept-encoding: gzip'));
  assert.deepEqual([packed.code, JSON.parse(packed.body).kind], [200, 'ConfigMapList']);
  assert.equal((await client.ask(get())).isNodes, false);
});

test('a lane leaves requests in pieces to Node, and takes the next', async (t) => {
  const client = await greeted(t);
  const text = post('pieces');
  const cut = text.indexOf('{') + 3;
  client.send(text.slice(0, cut));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const made = await client.ask(text.slice(cut));
  assert.deepEqual([made.code, made.isNodes], [201, true]);
  assert.equal((await client.ask(get())).isNodes, false);
});

test('a lane leaves the connection to Node where it is not clear what comes', async (t) => {
  const client = await greeted(t);
  client.send('GET /version HT');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await client.ask('TP/1.1\r\nhost: a\r\n\r\n')).isNodes, true);
  assert.equal((await client.ask(get())).isNodes, true);
});

test('a lane answers one after the other', async (t) => {
  const client = await greeted(t);
  client.send(get(`${future}&timeout=200ms`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.send(post('ahead'));
  client.send(get(`${configMaps}/ahead`));
  assert.deepEqual(
    [(await client.answer()).code, (await client.answer()).code, (await client.answer()).code],
    [504, 201, 200],
  );
  client.send(get(), get('/nothing'), get());
  assert.deepEqual(
    [(await client.answer()).code, (await client.answer()).code, (await client.answer()).code],
    [200, 404, 200],
  );
});

test('a lane does not read without end while an answer is to come', async (t) => {
  const client = await greeted(t);
  client.send(get(`${future}&timeout=1s`));
  const bytes = 64 << 20;
  client.socket.write(Buffer.alloc(bytes, post('flood', 'x'.repeat(1_000))));
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.ok(client.socket.writableLength > bytes / 2);
  client.socket.destroy();
});

test('a lane that is answering is not idle', async (t) => {
  const quick = await startServed({ tls: serving, requestLimits });
  t.after(() => quick.stop());
  const client = await greeted(t, quick);
  // Longer than an idle connection is kept.
  assert.equal((await client.ask(get(`${future}&timeout=600ms`))).code, 504);
  const startedMs = performance.now();
  await client.closed;
  assert.ok(performance.now() - startedMs > requestLimits.idleTimeoutMs / 2);
});

test('a server that ends finishes what it began in a lane', async (t) => {
  const ending = await startServed({ tls: serving });
  const client = await greeted(t, ending);
  client.send(get(`${future}&timeout=500ms`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopped = ending.stop();
  const answer = await client.answer();
  assert.match(answer.head, /^connection: close$/im);
  assert.equal(answer.code, 504);
  await client.closed;
  await stopped;
});

test('a lane lets its connection go for an upgrade', async (t) => {
  const client = await greeted(t);
  assert.equal((await client.ask(get())).isNodes, false);
  const fields = ['origin: https://a', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  const key = `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`;
  const { code } = await client.ask(get(`${configMaps}?watch=1&timeoutSeconds=1`, ...fields, key));
  assert.equal(code, 101);
});

test('a lane gives watches to Node, and goes on after them', async (t) => {
  const client = await greeted(t);
  client.send(get(`${configMaps}?watch=1&timeoutSeconds=1`));
  let text = '';
  while (!text.endsWith('0\r\n\r\n')) text += String((await once(client.socket, 'data'))[0]);
  const next = await greetedAgain(client);
  assert.deepEqual([next.code, next.isNodes], [200, false]);
});

/** What the watch told was read by others. */
async function greetedAgain({ socket }: Client): Promise<Answer> {
  const again = new Client(socket);
  return again.ask(get());
}

test('a lane gives to Node what may be a watch, or is carried on', async (t) => {
  const queries = ['watch', '%77atch=1', 'a=b&watch=1'].map((query) => `${configMaps}?${query}&timeoutSeconds=1`);
  const pod = '/api/v1/namespaces/default/pods/a';
  for (const path of [...queries, '/api/v1/watch/configmaps?timeoutSeconds=1', `${pod}/log`, `${pod}/prox%79/`]) {
    const client = await greeted(t);
    assert.equal((await client.ask(get(path))).isNodes, true, path);
  }
  const client = await greeted(t);
  assert.equal((await client.ask(get(`${configMaps}?labelSelector=a%3Dwatch`))).isNodes, false);
});

test('a lane ends with its connection, whatever came ahead', async (t) => {
  const client = await greeted(t);
  client.send(get(`${future}&timeout=200ms`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.send(get('/nothing'), get('/nothing'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  // Node's parser of the connection is that of another one now.
  const others = [await greeted(t), await greeted(t)];
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const other of others) assert.equal((await other.ask(get())).code, 200);
});

test('a lane whose time is up while it compresses goes on', { timeout: 20_000 }, async (t) => {
  const client = await greeted(t);
  const noise = Array.from({ length: 50_000 }, (_, index) => Math.sin(index)).join('');
  await client.ask(post('noise', noise));
  client.send(get(`${configMaps}/noise?timeout=1ms`, 'accept-encoding: gzip'));
  client.send(get(), get('/nothing'));
  assert.deepEqual(
    [(await client.answer()).code, (await client.answer()).code, (await client.answer()).code],
    [504, 200, 404],
  );
});

test('a lane leaves codes without a name to Node', async (t) => {
  const refuse = () => {
    throw StatusError.of('Forbidden', 'no', undefined, 460);
  };
  const refusing = await startServed({
    tls: serving,
    security: () => ({ ...open, admission: [{ name: 'Refusing', validate: refuse }] }),
  });
  t.after(() => refusing.stop());
  const client = await greeted(t, refusing);
  assert.match((await client.ask(post('refused'))).head, /^HTTP\/1\.1 460 unknown\r\n/);
});

const open: Security = {
  authenticate: () => ({ name: 'a', groups: [] }),
  authorize: () => ({ allowed: true }),
  admission: [],
};

/** A server, and a way to ask it without reading the answer; false where the one before is not over. */
async function unread(t: TestContext) {
  let asked = 0;
  const authenticate: Security['authenticate'] = (credentials) => {
    asked += 1;
    return open.authenticate(credentials);
  };
  const limits = { ...requestLimitsDefault, requestTimeoutMs: 1_500 };
  const slow = await startServed({ tls: serving, requestLimits: limits, security: () => ({ ...open, authenticate }) });
  t.after(() => slow.stop());
  await (await greeted(t, slow)).ask(post('small', 'x'.repeat(15_000)));
  const ask = async (client: Client): Promise<boolean> => {
    const before = asked;
    client.socket.pause();
    client.send(get(`${configMaps}/small`));
    for (let waits = 0; asked === before && waits < 50; waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 2));
    return asked > before;
  };
  return { server: slow, ask };
}

/** A connection whose client reads nothing: small answers wait in it until the last one is not over. */
async function clogged(t: TestContext) {
  const { server: slow, ask } = await unread(t);
  const client = await greeted(t, slow);
  let answers = 1;
  while (await ask(client)) answers += 1;
  return { client, server: slow, ask, answers };
}

test('a lane cuts who does not read in time, and says nothing else', { timeout: 20_000 }, async (t) => {
  const { client } = await clogged(t);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  client.socket.resume();
  await client.closed;
  assert.doesNotMatch(client.rest, /HTTP\/1\.1 504/);
});

test('a server that ends does not wait for who does not read', async (t) => {
  const { server: ending } = await clogged(t);
  const startedMs = performance.now();
  await ending.stop();
  assert.ok(performance.now() - startedMs < 1_000);
});

test('a lane answers who says nothing more, and what it said before is read', { timeout: 20_000 }, async (t) => {
  const { server: slow, ask, answers } = await clogged(t);
  let client: Client;
  let begun: number;
  // A little waits in the connection, but it is free. Not all connections take the same.
  do {
    client = await greeted(t, slow);
    for (begun = 0; begun < answers - 3 && (await ask(client));) begun += 1;
  } while (begun < answers - 3);
  client.send(get(`${future}&timeout=100ms`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.socket.end();
  await new Promise((resolve) => setTimeout(resolve, 200));
  client.socket.resume();
  await client.closed;
  assert.equal(client.rest.split('HTTP/1.1 200').length - 1, begun);
  assert.match(client.rest, /x"\}\}\nHTTP\/1\.1 504 (?!.*HTTP)/s);
});

test('a lane begins what comes with the farewell', async (t) => {
  for (const request of [get(), post('farewell'), get('/nothing')]) {
    const client = await greeted(t);
    client.socket.end(request);
    assert.match(String((await client.answer()).code), /20[01]|404/);
    await client.closed;
  }
});
