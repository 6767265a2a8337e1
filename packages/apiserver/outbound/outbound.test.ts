import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { FakeClock, silentLogger, systemClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { createPki } from '../pki/pki.ts';
import { failedAnswer } from './failure.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { createOutbound } from './outbound.ts';

const pki = createPki({ clock: systemClock, hosts: ['hook.app.svc'] });
const caBundle = Buffer.from(pki.clusterCa.certificate).toString('base64');
const clock = new FakeClock();
const state = new MemoryState();
const outbound = createOutbound({ state, clock, log: silentLogger, random: Math.random });
let server: Server;
let port = 0;
let connections = 0;
const seen: { url: string; headers: Record<string, unknown>; body: string }[] = [];

before(async () => {
  const { serving } = pki;
  server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push({ url: request.url!, headers: request.headers, body });
      if (request.url!.startsWith('/never')) return;
      response.writeHead(request.url!.startsWith('/bad') ? 500 : 200, { 'content-type': 'text/plain' });
      response.end(request.url!.startsWith('/bad') ? 'no room' : '{"answer":1}');
    })();
  });
  server.on('secureConnection', () => (connections += 1));
  server.on('upgrade', (request, socket) => socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  const spec = { type: 'ClusterIP', clusterIP: '127.0.0.1', ports: [{ port }] };
  state.put('', 'services', { metadata: { name: 'hook', namespace: 'app' }, spec });
});
after(() => {
  outbound.close();
  server.closeAllConnections();
  server.close();
});

test('createOutbound posts to a service, by its name in the certificate, over one kept connection', async () => {
  const to = outbound.destination({ service: { namespace: 'app', name: 'hook', port, path: '/check' }, caBundle });
  for (let call = 0; call < 3; call += 1) {
    const answer = await outbound.post(to, { a: 1 }, { timeoutMs: 1000, query: { timeout: '1s' } });
    assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [200, '{"answer":1}']);
  }
  assert.equal(connections, 1);
  const { url, headers, body } = seen[0]!;
  assert.deepEqual([url, body, headers['host']], ['/check?timeout=1s', '{"a":1}', `hook.app.svc:${port}`]);
});

test('createOutbound says what went wrong as upstream does', async () => {
  const post = (config: Parameters<typeof outbound.destination>[0]) =>
    outbound.post(outbound.destination(config), {}, { timeoutMs: 1000 });
  const of = (name: string, more = {}) => ({ service: { namespace: 'app', name, port, ...more } });
  state.put('', 'services', {
    metadata: { name: 'other', namespace: 'app' },
    spec: { type: 'ClusterIP', clusterIP: '127.0.0.1', ports: [{ port }] },
  });
  const cases: [Parameters<typeof outbound.destination>[0], string][] = [
    [of('missing'), `Post "https://missing.app.svc:${port}/": service "missing" not found`],
    [of('hook', { port: 1 }), 'Post "https://hook.app.svc:1/": no service port 1 found for service "hook"'],
    [
      { url: 'https://127.0.0.1:1/x' },
      'Post "https://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      of('hook'),
      `Post "https://hook.app.svc:${port}/": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ],
  ];
  for (const [config, message] of cases) await assert.rejects(post(config), { message });
  await assert.rejects(
    post({ ...of('other'), caBundle }),
    /x509: certificate is valid for .*hook.app.svc.*, not other.app.svc/,
  );
  assert.throws(() => outbound.destination({}), /either service or URL/);
  assert.throws(() => outbound.destination({ url: 'ftp://x' }), /expected https:/);
});

test('createOutbound gives up after the timeout', async () => {
  const to = outbound.destination({ url: `https://127.0.0.1:${port}/never`, caBundle });
  const pending = outbound.post(to, {}, { timeoutMs: 2000 });
  const failed = assert.rejects(pending, {
    message: `Post "https://127.0.0.1:${port}/never": context deadline exceeded`,
    isTimeout: true,
  });
  while (!seen.some(({ url }) => url === '/never')) await new Promise(setImmediate);
  await clock.advance(2000);
  await failed;
});

test('createOutbound hands out raw connections', async () => {
  const to = outbound.service({ namespace: 'app', name: 'hook', port }, { trust: { ca: pki.clusterCa.certificate } });
  const socket = await outbound.connect(to, new AbortController().signal);
  socket.write('GET /up HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  const text = Buffer.concat(await socket.toArray()).toString();
  assert.match(text, /^HTTP\/1.1 101[^]*\/up$/);
});

test('failedAnswer reads an answer as client-go does', async () => {
  const to = outbound.destination({ url: `https://127.0.0.1:${port}/bad`, caBundle });
  const { status, headers, body } = await outbound.post(to, {}, { timeoutMs: 1000 });
  const failure = failedAnswer(status, headers, Buffer.from(body).toString());
  assert.equal(failure.message, 'an error on the server ("no room") has prevented the request from succeeding');
  assert.equal(failedAnswer(404, {}, '').message, 'the server could not find the requested resource');
});

test('parseKubeconfig finds the credentials for a server', () => {
  const file = parseKubeconfig(
    `users:
- { name: "hook.app.svc:8443", user: { token: exact } }
- { name: "*.app.svc", user: { token: star } }
- { name: "*", user: { username: u, password: p } }
clusters: [{ name: c, cluster: { server: "https://h:1/auth?x=1", tls-server-name: n } }]
contexts: [{ name: k, context: { cluster: c, user: "*" } }]
current-context: k`,
    '.',
  );
  const tokenFor = (target: string) => file.credentialsFor(target).token ?? file.credentialsFor(target).username;
  assert.deepEqual(['hook.app.svc:8443', 'hook.app.svc:443', 'b.app.svc:8443', 'x.example:443'].map(tokenFor), [
    'exact',
    'star',
    'u',
    'u',
  ]);
  const { authority, path, query, trust, credentials } = file.destination();
  assert.deepEqual([authority, path, query, trust.serverName, credentials.password], ['h:1', '/auth', 'x=1', 'n', 'p']);
});

test('createOutbound reaches the Service of this server itself without its address', async () => {
  const loopback = () => ({ host: '127.0.0.1', port });
  const own = createOutbound({ state: new MemoryState(), clock, log: silentLogger, random: Math.random, loopback });
  const to = own.destination({ service: { namespace: 'default', name: 'kubernetes' }, caBundle });
  assert.equal((await own.post(to, {}, { timeoutMs: 1000 })).status, 200);
  own.close();
});
