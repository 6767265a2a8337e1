/** Logs that come as requests for a WebSocket, by the client that Node has of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { BackendRequest, KubeletTransport } from '../connect/kubelet-transport.ts';
import { logConnector } from '../connect/log.ts';
import { MemoryState } from '../memory-state.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

let server: ApiServer;
/** What the kubelet answers next. */
let log: (signal: AbortSignal) => AsyncIterable<string>;

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield Buffer.from(text);
}

before(async () => {
  const state = new MemoryState();
  state.put('', 'nodes', {
    metadata: { name: 'n' },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
  });
  const spec = { nodeName: 'n', containers: [{ name: 'c' }] };
  state.put('', 'pods', { metadata: { name: 'p', namespace: 'default' }, spec });
  const kubelet = {
    request: async (_backend: object, { signal }: BackendRequest) => ({
      status: 200,
      headers: {},
      body: bytesOf(log(signal)),
    }),
  };
  server = await startServed({ connectors: [logConnector(state, kubelet as unknown as KubeletTransport)] });
});
after(() => server.stop());

function open(...protocols: string[]): WebSocket {
  const url = new URL('/api/v1/namespaces/default/pods/p/log?follow=true', server.url!);
  const socket = new WebSocket(url, protocols);
  socket.binaryType = 'arraybuffer';
  return socket;
}

/** All messages to the end, in binary and as text, and the code of the end. */
async function told(socket: WebSocket) {
  const binary: string[] = [];
  const texts: string[] = [];
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    if (typeof data === 'string') texts.push(data);
    else binary.push(Buffer.from(data as ArrayBuffer).toString());
  });
  const [{ code }] = (await once(socket, 'close')) as [{ readonly code: number }];
  return { binary, texts, code };
}

async function* lines(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'x'.repeat(70_000);
}

for (const protocol of ['', 'binary.k8s.io']) {
  test(`logOverWebSocket tells each piece after an empty message, protocol ${JSON.stringify(protocol)}`, async () => {
    log = lines;
    const socket = protocol === '' ? open() : open('other', protocol);
    const { binary, texts, code } = await told(socket);
    assert.deepEqual({ binary, texts, code }, { binary: ['', 'one\n', 'x'.repeat(70_000)], texts: [], code: 1000 });
    assert.equal(socket.protocol, protocol);
  });
}

test('logOverWebSocket tells text in base64 to who asks for that', async () => {
  log = lines;
  const { binary, texts, code } = await told(open('base64.binary.k8s.io'));
  assert.deepEqual([binary, texts.slice(0, 2), code], [[], ['', 'b25lCg=='], 1000]);
  assert.equal(Buffer.from(texts[2]!, 'base64').toString(), 'x'.repeat(70_000));
});

test('logOverWebSocket refuses protocols that it does not speak, and lets go of the log', async () => {
  let isOver = () => {};
  const over = new Promise<void>((resolve) => (isOver = resolve));
  log = async function* () {
    try {
      yield* lines();
    } finally {
      isOver();
    }
  };
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-protocol': 'channel.k8s.io',
  };
  const { get } = process.getBuiltinModule('node:http');
  const asked = get(new URL('/api/v1/namespaces/default/pods/p/log', server.url!), { headers });
  const [answer] = (await once(asked, 'response')) as [{ readonly statusCode: number; resume(): void }];
  answer.resume();
  assert.equal(answer.statusCode, 403);
  await over;
});

test('logOverWebSocket says that a log has broken off', async () => {
  log = async function* () {
    yield 'one\n';
    throw new Error('the kubelet is gone');
  };
  const { binary, code } = await told(open());
  assert.deepEqual([binary, code], [['', 'one\n'], 1011]);
});

test('logOverWebSocket ends with its client, and so does the request to the kubelet', async () => {
  let asked: AbortSignal | undefined;
  log = async function* (signal) {
    asked = signal;
    yield 'one\n';
    await once(signal, 'abort');
  };
  const socket = open();
  const end = told(socket);
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    if ((data as ArrayBuffer).byteLength > 0) socket.close();
  });
  assert.equal((await end).code, 1000);
  if (!asked!.aborted) await once(asked!, 'abort');
});
