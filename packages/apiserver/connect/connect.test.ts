import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import { MemoryState } from '../memory-state.ts';
import type { ConnectRequest } from '../seams.ts';
import { createConnectors } from './connectors.ts';
import type { Backend, BackendRequest, KubeletTransport } from './kubelet-transport.ts';

interface Seen {
  readonly backend: Backend;
  readonly request?: BackendRequest;
}

/** `switched` is what it answers on a raw connection. */
function kubelet(status: number, text: string, switched = '') {
  const seen: Seen[] = [];
  const received: Buffer[] = [];
  const transport: KubeletTransport = {
    async request(backend, request) {
      seen.push({ backend, request });
      const body = (async function* () {
        yield Buffer.from(text);
      })();
      return { status, headers: { 'content-type': 'text/plain', location: '/there' }, body };
    },
    async connect(backend) {
      seen.push({ backend });
      return new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          if (received.length === 0) this.push(switched);
          received.push(chunk);
          done();
        },
      });
    },
    close() {},
  };
  return { transport, seen, received };
}

function cluster(): MemoryState {
  const state = new MemoryState();
  const addresses = [
    { type: 'Hostname', address: 'n1' },
    { type: 'InternalIP', address: '192.0.2.7' },
  ];
  state.put('', 'nodes', {
    metadata: { name: 'n1' },
    status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 10251 } } },
  });
  const pod = (name: string, nodeName: string, names: readonly string[], podIP?: string) =>
    state.put('', 'pods', {
      metadata: { name, namespace: 'a' },
      spec: { nodeName, containers: names.map((container) => ({ name: container })) },
      status: { podIP },
    });
  pod('p', 'n1', ['c'], '10.0.0.5');
  pod('two', 'n1', ['a', 'b']);
  pod('new', '', ['c']);
  pod('lost', 'gone', ['c']);
  return state;
}

const ask = (
  resource: string,
  subresource: string,
  name: string,
  more: Partial<ConnectRequest> = {},
): ConnectRequest => ({
  attributes: { verb: 'get', group: '', version: 'v1', resource, subresource, namespace: 'a', name, path: '' },
  user: { name: 'u', groups: [] },
  method: 'GET',
  tail: '',
  query: new URLSearchParams(),
  headers: {},
  body: undefined,
  signal: new AbortController().signal,
  ...more,
});

const connect = (transport: KubeletTransport, request: ConnectRequest) => {
  const { resource, subresource } = request.attributes;
  const connectors = createConnectors(cluster(), transport, () => 0);
  const connector = connectors.find((one) => one.resource === resource && one.subresource === subresource);
  return connector!.connect(request);
};

async function textOf(body: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('logConnector asks the kubelet of the node for the container', async () => {
  const { transport, seen } = kubelet(200, 'line\n');
  const query = new URLSearchParams('follow=true&tailLines=5&container=c');
  const answer = await connect(transport, ask('pods', 'log', 'p', { query }));
  assert.notEqual(answer, 'upgraded');
  if (answer !== 'upgraded') assert.equal(await textOf(answer.body), 'line\n');
  assert.equal(seen[0]?.request?.path, '/containerLogs/a/p/c?follow=true&tailLines=5');
  assert.deepEqual([seen[0]?.backend.host, seen[0]?.backend.port], ['192.0.2.7', 10251]);
});

test("logConnector and streamConnectors refuse in upstream's words", async () => {
  const { transport } = kubelet(400, 'container "c" in pod "p" is waiting to start: ContainerCreating');
  const cases: [ConnectRequest, number, string][] = [
    [ask('pods', 'log', 'p'), 400, 'container "c" in pod "p" is waiting to start: ContainerCreating'],
    [ask('pods', 'log', 'two'), 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    [ask('pods', 'log', 'none'), 404, 'pods "none" not found'],
    [ask('pods', 'log', 'lost'), 404, 'pods "gone" not found'],
    [ask('pods', 'log', 'p', { query: new URLSearchParams('container=x') }), 400, 'container x is not valid for pod p'],
    [
      ask('pods', 'log', 'p', { query: new URLSearchParams('tailLines=-1') }),
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [ask('pods', 'exec', 'new'), 400, 'pod new does not have a host assigned'],
    [ask('pods', 'exec', 'p'), 400, 'Upgrade request required'],
    [ask('pods', 'proxy', 'new'), 400, 'address not allowed'],
    [ask('services', 'proxy', 's'), 503, 'no endpoints available for service "s"'],
  ];
  for (const [request, code, message] of cases)
    await assert.rejects(connect(transport, request), (error) => {
      assert.deepEqual([(error as StatusError).code, (error as StatusError).message], [code, message]);
      return true;
    });
  assert.deepEqual(await connect(transport, ask('pods', 'log', 'new')), { status: 204, headers: {}, body: undefined });
});

/** It says `secret`. */
const token = 'c2VjcmV0';

/** A client's upgrade to `exec`, answered by a kubelet with `answer`; `early` was sent with it. */
async function exec(answer: string) {
  const { transport, received } = kubelet(200, '', answer);
  const told: Buffer[] = [];
  const socket = new Duplex({ read() {}, write: (chunk: Buffer, _encoding, done) => done(void told.push(chunk)) });
  const query = new URLSearchParams('command=ls&command=-l&stdout=true&tty=false&container=c');
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    authorization: 'Bearer secret',
    'content-length': '5',
    'sec-websocket-key': 'k',
    'sec-websocket-protocol': `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${token}, v5.channel.k8s.io`,
  };
  const upgrade = { socket, head: Buffer.from('early') };
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString();
  const done = connect(transport, ask('pods', 'exec', 'p', { query, headers, upgrade }));
  return { done, socket, toKubelet: () => text(received), toClient: () => text(told) };
}

test('streamConnectors hand the connection over, without the credentials', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const { done, socket, toKubelet, toClient } = await exec(`${head}frame`);
  assert.equal(await done, 'upgraded');
  const text = toKubelet();
  assert.match(text, /^GET \/exec\/a\/p\/c\?output=1&command=ls&command=-l HTTP\/1\.1\r\n/);
  assert.match(text, /\r\nsec-websocket-key: k\r\n/);
  assert.match(text, /\r\nsec-websocket-protocol: v4\.channel\.k8s\.io, v5\.channel\.k8s\.io\r\n/);
  assert.doesNotMatch(text, new RegExp(`secret|${token}|content-length`));
  assert.ok(text.endsWith('\r\n\r\nearly'));
  assert.equal(toClient(), `${head}frame`);
  socket.destroy();
});

test('streamConnectors hand nothing over to a kubelet that goes on in HTTP', async () => {
  const refused = await exec('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nx-a: b\r\n\r\nno');
  const answer = await refused.done;
  assert.ok(answer !== 'upgraded');
  assert.deepEqual([answer.status, answer.headers['x-a'], await textOf(answer.body)], [403, 'b', 'no']);
  const agreed = await exec('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  await assert.rejects(agreed.done, /invalid upgrade response: status code 200/);
  const junk = await exec('SSH-2.0-OpenSSH_9.6\r\n\r\n');
  await assert.rejects(junk.done, /Get "https:\/\/192\.0\.2\.7:10251\/exec\/a\/p\/c\?.*": Parse Error/);
  for (const { toKubelet, toClient, socket } of [refused, agreed, junk]) {
    assert.doesNotMatch(toKubelet(), /early/);
    assert.equal(toClient(), '');
    socket.destroy();
  }
});

test('proxyConnectors rewrite paths and keep redirects below the proxy', async () => {
  const { transport, seen } = kubelet(302, '');
  const answer = await connect(
    transport,
    ask('pods', 'proxy', 'p:8080', { tail: '/x', query: new URLSearchParams('y=1') }),
  );
  const { backend, request } = seen[0]!;
  assert.deepEqual([backend.host, backend.port, backend.isKubelet, request?.path], ['10.0.0.5', 8080, false, '/x?y=1']);
  assert.notEqual(answer, 'upgraded');
  if (answer !== 'upgraded') assert.equal(answer.headers['location'], '/api/v1/namespaces/a/pods/p:8080/proxy/there');
});
