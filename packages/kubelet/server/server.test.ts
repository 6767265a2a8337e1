import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { after, before, test } from 'node:test';
import { createPki } from '@kubernode/apiserver';
import { FakeClock, silentLogger, systemClock } from '@kubernode/machinery';
import { testPod } from '../testing/objects.ts';
import { simulatedRuntime } from '../testing/simulated-cri.ts';
import { kubeletAttributes } from './authorization.ts';
import { KubeletServer } from './kubelet-server.ts';
import { TimedCache } from './timed-cache.ts';

const pki = createPki({ clock: systemClock });
const { serving, client: nodeClient } = pki.kubelet('node-1', ['127.0.0.1']);
const admin = pki.client('admin');
const pod = testPod();
const runtime = simulatedRuntime(new FakeClock());
let streaming: Server;
let server: KubeletServer;
let port: number;
const asked: string[] = [];
/** What the runtime was told on connections that were handed on. */
let toRuntime = '';
const refusals = new Map([
  ['/exec/refused', 'HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\n\r\nno token'],
  ['/exec/agreed', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['/exec/junk', 'SSH-2.0-OpenSSH\r\n\r\n'],
]);

before(async () => {
  // The runtime's streaming server: greets, then echoes.
  streaming = createServer();
  streaming.on('upgrade', (incoming, socket) => {
    socket.on('error', () => {}).on('data', (chunk: Buffer) => (toRuntime += chunk.toString()));
    const refusal = refusals.get(incoming.url ?? '');
    if (refusal !== undefined) return void socket.write(refusal);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n\r\n`,
    );
    socket.write(`you came for ${incoming.url}, ${incoming.headers.authorization ?? 'nameless'}`);
    socket.pipe(socket);
  });
  await new Promise<void>((listening) => streaming.listen(0, '127.0.0.1', listening));
  const streamingUrl = `http://127.0.0.1:${(streaming.address() as AddressInfo).port}`;
  const { podSandboxId } = await runtime.cri.runPodSandbox({
    config: { metadata: { name: 'web', uid: 'uid-web' }, labels: { 'io.kubernetes.pod.uid': 'uid-web' } },
  });
  const labels = { 'io.kubernetes.pod.uid': 'uid-web', 'io.kubernetes.container.name': 'main' };
  const { containerId } = await runtime.cri.createContainer({
    podSandboxId,
    config: { metadata: { name: 'main' }, labels },
  });
  await runtime.cri.startContainer({ containerId });
  server = new KubeletServer({
    log: silentLogger,
    listen: {
      host: '127.0.0.1',
      port: 0,
      tls: { certificate: serving.certificate, key: serving.key, clientCa: pki.clusterCa.certificate },
    },
    authenticate: async ({ headers, socket }) => {
      const tls = socket as import('node:tls').TLSSocket;
      if (tls.authorized) return { name: String(tls.getPeerCertificate().subject.CN), groups: [] };
      return headers.authorization === 'Bearer good' ? { name: 'token-user', groups: [] } : 'anonymous';
    },
    authorize: async ({ name }, { verb, subresources }) => {
      asked.push(`${name} ${verb} ${subresources.join()}`);
      return name !== 'system:node:node-1';
    },
    context: {
      nodeName: 'node-1',
      cri: { ...runtime.cri, exec: async ({ cmd = [] }) => ({ url: `${streamingUrl}/exec/${cmd.join('+')}` }) },
      clock: systemClock,
      startedAtMs: 0,
      config: { maxPods: 110 },
      pod: (name) => (name === 'web' ? pod : undefined),
      pods: () => [pod],
      status: () => ({ phase: 'Running', containerStatuses: [] }),
      stats: () => Promise.reject(new Error('not here')),
      onPodChange: () => () => {},
    },
  });
  port = await server.start();
});

after(async () => {
  await server.stop();
  streaming.closeAllConnections();
  streaming.close();
});

type Identity = { readonly cert?: string; readonly key?: string; readonly headers?: Record<string, string> };
const asAdmin: Identity = { cert: admin.certificate, key: admin.key };

function get(path: string, identity: Identity = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      ca: pki.clusterCa.certificate,
      agent: false as const,
      ...identity,
    };
    request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

const answers: { name: string; path: string; identity?: Identity; status: number; text: RegExp }[] = [
  { name: 'healthz is open', path: '/healthz', status: 200, text: /^ok$/ },
  { name: 'what is no URL is refused, whoever asks', path: '//', status: 400, text: /^Bad Request$/ },
  { name: 'nobody is let in', path: '/pods', status: 401, text: /Unauthorized/ },
  { name: 'a certificate', path: '/pods', identity: asAdmin, status: 200, text: /"kind":"PodList"/ },
  {
    name: 'a token',
    path: '/configz',
    identity: { headers: { authorization: 'Bearer good' } },
    status: 200,
    text: /maxPods/,
  },
  {
    name: 'somebody without the right',
    path: '/metrics',
    identity: { cert: nodeClient.certificate, key: nodeClient.key },
    status: 403,
    text: /Forbidden \(user=system:node:node-1, verb=get, resource=nodes, subresource\(s\)=\[metrics\]\)/,
  },
  {
    name: 'an unknown pod',
    path: '/containerLogs/default/no/main',
    identity: asAdmin,
    status: 404,
    text: /"no" does not/,
  },
  {
    name: 'no log yet',
    path: '/containerLogs/default/web/main',
    identity: asAdmin,
    status: 400,
    text: /is not available/,
  },
  { name: 'an unknown path', path: '/no', identity: asAdmin, status: 404, text: /404/ },
  { name: 'an error is no stack trace', path: '/stats/summary', identity: asAdmin, status: 500, text: /^not here$/ },
];
for (const { name, path, identity, status, text } of answers) {
  test(`KubeletServer: ${name}`, async () => {
    const answer = await get(path, identity);
    assert.equal(answer.status, status);
    assert.match(answer.text, text);
  });
}

test('KubeletServer: hands an upgraded connection on to the runtime, byte by byte, without credentials', async () => {
  const path = '/exec/default/web/main?command=ls&command=-l&output=1';
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', authorization: 'Bearer good' };
  const received = await new Promise<string>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', ca: pki.clusterCa.certificate, headers };
    const call = request({ ...options, agent: false });
    call.on('upgrade', (_response, socket, head) => {
      let text = head.toString();
      socket.write('and back');
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.endsWith('and back')) {
          socket.destroy();
          resolve(text);
        }
      });
    });
    call.on('error', reject).end();
  });
  assert.equal(received, 'you came for /exec/ls+-l, namelessand back');
  assert.ok(asked.includes('token-user create proxy'));
});

const unswitched: readonly (readonly [command: string, status: number, text: RegExp])[] = [
  ['refused', 404, /\r\n\r\nno token$/],
  ['agreed', 502, /container runtime's stream: invalid upgrade response: status code 200$/],
  ['junk', 502, /container runtime's stream: Parse Error/],
];
for (const [command, status, text] of unswitched) {
  test(`KubeletServer: hands nothing on to a runtime that has not switched (${command})`, async () => {
    toRuntime = '';
    const socket = connect({ host: '127.0.0.1', port, ca: pki.clusterCa.certificate });
    const head = `GET /exec/default/web/main?command=${command}&output=1 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\n`;
    socket.write(`${head}connection: upgrade\r\nupgrade: websocket\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n`);
    let told = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) told += chunk.toString();
    assert.match(told, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(told, text);
    assert.equal(toRuntime, '');
  });
}

test('kubeletAttributes: each path has its subresource', () => {
  const of = (path: string) => kubeletAttributes('GET', path, 'n').subresources.join();
  assert.equal(of('/stats/summary'), 'stats');
  assert.equal(of('/metrics/resource'), 'metrics');
  assert.equal(of('/pods'), 'pods,proxy');
  assert.equal(of('/containerLogs/a/b/c'), 'proxy');
});

test('TimedCache: asks once while an answer holds, and never keeps a failure', async () => {
  const clock = new FakeClock();
  const cache = new TimedCache<number>(clock);
  let asks = 0;
  const ask = () => cache.get('key', 1_000, async () => ++asks);
  assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
  await clock.advance(1_001);
  assert.equal(await ask(), 2);
  await assert.rejects(cache.get('other', 1_000, () => Promise.reject(new Error('no'))));
  assert.equal(await cache.get('other', 1_000, async () => 7), 7);
});
