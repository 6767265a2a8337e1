/** What a kubelet is asked for on behalf of a connection: it is as little to be trusted as its clients. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createPki } from '@kubernode/apiserver';
import { systemClock } from '@kubernode/machinery';
import { until } from '../e2e/process.ts';
import { startVictim, type Victim } from './server.ts';
import { tls, type Wire } from './wire.ts';

let server: Victim;
let kubelet: Server;
const sockets = new Set<Socket>();
/** What the kubelet does once it was asked. */
let behave: (socket: Socket) => void;
let received = '';

before(async () => {
  server = await startVictim({ requestLimits: { lingerMs: 500 } });
  const { serving } = createPki({ clock: systemClock });
  kubelet = createServer({ cert: serving.certificate, key: serving.key }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => behave(socket));
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  });
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  const { port: Port } = kubelet.address() as AddressInfo;
  await server.create('/api/v1/nodes', { metadata: { name: 'n' } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port } },
  };
  const found = JSON.parse((await server.send('GET', '/api/v1/nodes/n')).text) as object;
  assert.equal((await server.send('PUT', '/api/v1/nodes/n/status', { ...found, status })).code, 200);
  await server.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await server.create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
});
after(async () => {
  assert.equal(await server.stop(), 0);
  kubelet.close();
});

const pod = '/api/v1/namespaces/default/pods/p';
const webSocket = (path: string) =>
  `GET ${pod}${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer admin\r\n` +
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
const switched = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

/** Writes as fast as it may. */
function pour(socket: Socket): void {
  const bytes = Buffer.alloc(65_536, 0x89);
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

async function open(request: string | Uint8Array, reads = true): Promise<Wire> {
  const wire = await tls(server.port, 'http/1.1', reads);
  wire.write(request);
  return wire;
}

const exec = (reads = true) => open(webSocket('/exec?command=sh&stdout=true'), reads);

const allLeft = () => until('end of all connections to the kubelet', () => sockets.size === 0);

test('a kubelet that pours into clients that do not read waits for them', () =>
  server.survives(async () => {
    behave = (socket) => {
      socket.write(switched);
      pour(socket);
    };
    const wires = await Promise.all(Array.from({ length: 20 }, () => exec(false)));
    await until('the kubelet was asked by all', () => sockets.size === 20);
    await until('it has to wait', () => [...sockets].every(({ writableNeedDrain }) => writableNeedDrain));
    for (const wire of wires) wire.reset();
    await allLeft();
  }));

test('clients that pour into a kubelet that does not read wait for it', () =>
  server.survives(async () => {
    behave = (socket) => {
      socket.write(switched);
      socket.removeAllListeners('data').pause();
    };
    const wires = await Promise.all(Array.from({ length: 20 }, () => exec()));
    await Promise.all(wires.map((wire) => wire.until(({ text }) => text.includes('101'))));
    for (const { socket } of wires) pour(socket);
    await until('they have to wait', () => wires.every(({ socket }) => socket.writableNeedDrain));
    for (const socket of sockets) socket.destroy();
    await Promise.all(wires.map(({ closed }) => closed));
  }));

const refusals: readonly (readonly [name: string, answer: string, code: number])[] = [
  ['refuses', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno', 403],
  ['goes on in HTTP', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 500],
  ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 500],
];

for (const [name, answer, code] of refusals) {
  test(`a kubelet that ${name} is told nothing more in our name (CVE-2018-1002105)`, () =>
    server.survives(async () => {
      received = '';
      behave = (socket) => socket.write(answer);
      const wire = await exec();
      wire.write(`GET /exec/kube-system/other/c?command=sh HTTP/1.1\r\nhost: a\r\n\r\n`);
      await wire.closed;
      assert.match(wire.text, new RegExp(`^HTTP/1\\.1 ${code} `));
      assert.doesNotMatch(received, /kube-system/);
      await allLeft();
    }));
}

test('clients that leave before the kubelet has answered take their connections with them', () =>
  server.survives(async () => {
    behave = () => {};
    const wires = await Promise.all(Array.from({ length: 20 }, () => exec()));
    await until('the kubelet was asked by all', () => sockets.size === 20);
    for (const wire of wires) wire.reset();
    await allLeft();
  }));

const followed = webSocket('/log?follow=true');
const farewell = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
const aLine = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\na\n\r\n';
const endings: readonly (readonly [name: string, end: (wire: Wire) => void])[] = [
  ['say farewell', (wire) => wire.write(farewell)],
  ['end their half', (wire) => wire.socket.end()],
  ['vanish', (wire) => wire.reset()],
  ['send a frame without its mask', (wire) => wire.write(Buffer.from([0x81, 0x01, 0x61]))],
];

for (const [name, end] of endings) {
  test(`logs over WebSocket end with clients that ${name}, and so do the kubelet's`, () =>
    server.survives(async () => {
      behave = (socket) => socket.write(aLine);
      const wires = await Promise.all(Array.from({ length: 20 }, () => open(followed)));
      await Promise.all(wires.map((wire) => wire.until(({ text }) => text.endsWith('a\n'))));
      for (const wire of wires) end(wire);
      await allLeft();
      for (const wire of wires) wire.destroy();
    }));
}

test('logs over WebSocket that are not read are not collected', () =>
  server.survives(async () => {
    behave = (socket) => {
      // A length that is never reached.
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n');
      pour(socket);
    };
    const wires = await Promise.all(Array.from({ length: 20 }, () => open(followed, false)));
    await until('the kubelet was asked by all', () => sockets.size === 20);
    await until('it has to wait', () => [...sockets].every(({ writableNeedDrain }) => writableNeedDrain));
    for (const wire of wires) wire.write(farewell);
    await allLeft();
  }));

test('a farewell that comes ahead of a log is answered', () =>
  server.survives(async () => {
    behave = (socket) => socket.write(aLine);
    const wire = await open(Buffer.concat([Buffer.from(followed), farewell]));
    await wire.closed;
    assert.match(wire.text, /^HTTP\/1\.1 101 /);
    assert.ok(wire.received.subarray(-4).equals(Buffer.from([0x88, 0x02, 0x03, 0xe8])));
    await allLeft();
  }));
