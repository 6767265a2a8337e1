import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { createTestContainer, openTestRuntime, type TestRuntime } from '../testing/open.ts';
import { encodeFrame, type SpdyFrame, SpdyFrameReader } from './spdy-frames.ts';
import { SpdyHeaderWriter } from './spdy-headers.ts';

let host: TestRuntime;
let ids: { podSandboxId: string; containerId: string };
before(async () => {
  host = await openTestRuntime();
  const command = ['sh', '-c', 'httpd -p 80 -h /www; while read x; do echo got $x; done; sleep 1000'];
  ids = await createTestContainer(host.runtime, { command, stdin: true });
  await host.runtime.startContainer(ids);
});
after(() => host.end());

interface Talk {
  readonly channels: Readonly<Record<number, string>>;
  readonly socket: WebSocket;
  /** Resolves when `text` has come on the channel. */
  seen(channel: number, text: string): Promise<void>;
  readonly closed: Promise<void>;
}

async function talk(url: string, protocol: string): Promise<Talk> {
  const socket = new WebSocket(url.replace('http:', 'ws:'), protocol);
  const channels: Record<number, string> = {};
  const waiting: { channel: number; text: string; resolve: () => void }[] = [];
  socket.on('message', (raw) => {
    const message = raw as Buffer;
    const channel = message[0] ?? 0;
    channels[channel] = (channels[channel] ?? '') + message.subarray(1).toString();
    for (const wait of waiting) if (wait.channel === channel && channels[channel].includes(wait.text)) wait.resolve();
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const seen = (channel: number, text: string) =>
    channels[channel]?.includes(text)
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiting.push({ channel, text, resolve }));
  return { channels, socket, seen, closed };
}

const request = 'GET /index.html HTTP/1.0\r\n\r\n';
const on = { stdin: true, stdout: true, stderr: true };

test('StreamServer execs over WebSocket v5, with the end of standard input and the exit code', async () => {
  const { url } = await host.runtime.exec({ ...ids, ...on, cmd: ['sh', '-c', 'cat; echo no >&2; exit 3'] });
  const { socket, channels, closed } = await talk(url, 'v5.channel.k8s.io');
  socket.send(Buffer.from('\0hello'));
  socket.send(Buffer.from([255, 0]));
  await closed;
  assert.equal(channels[1], 'hello');
  assert.equal(channels[2], 'no\n');
  const status = JSON.parse(channels[3] ?? '') as Record<string, unknown>;
  assert.equal(status['reason'], 'NonZeroExitCode');
  assert.deepEqual(status['details'], { causes: [{ reason: 'ExitCode', message: '3' }] });
});

test('StreamServer gives exec a terminal of the wanted size', async () => {
  const { url } = await host.runtime.exec({
    ...ids,
    ...on,
    stderr: false,
    tty: true,
    cmd: [
      'sh',
      '-c',
      'until [ "$(stty size)" = "33 91" ]; do sleep 0.01; done; [ -t 0 ] && echo terminal; read x; echo $x',
    ],
  });
  const client = await talk(url, 'v4.channel.k8s.io');
  const { socket, channels, closed } = client;
  socket.send(Buffer.from('\x04{"Width":91,"Height":33}'));
  await client.seen(1, 'terminal');
  socket.send(Buffer.from('\0typed\n'));
  await closed;
  assert.match(channels[1] ?? '', /typed\r\ntyped\r\n/);
  assert.match(channels[3] ?? '', /"Success"/);
});

test('StreamServer serves a URL once', async () => {
  const { url } = await host.runtime.exec({ ...ids, ...on, cmd: ['true'] });
  await (
    await talk(url, 'v5.channel.k8s.io')
  ).closed;
  await assert.rejects(talk(url, 'v5.channel.k8s.io'), /404/);
});

test('StreamServer attaches to the first process', async () => {
  const { url } = await host.runtime.attach({ ...ids, ...on });
  const client = await talk(url, 'v5.channel.k8s.io');
  client.socket.send(Buffer.from('\0line\n'));
  await client.seen(1, 'got line\n');
  client.socket.terminate();
});

test('StreamServer forwards a port over SPDY', async () => {
  const { url } = await host.runtime.portForward({ podSandboxId: ids.podSandboxId });
  const { pathname, port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: portforward.k8s.io'];
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\n${head.join('\r\n')}\r\n\r\n`);
  const writer = new SpdyHeaderWriter();
  for (const [index, streamtype] of ['error', 'data'].entries()) {
    const headerBlock = writer.write({ streamtype, port: '80', requestid: '0' });
    socket.write(encodeFrame({ type: 'synStream', streamId: index * 2 + 1, fin: false, headerBlock }));
  }
  const data = Buffer.from(request);
  socket.write(encodeFrame({ type: 'data', streamId: 3, fin: false, data }));
  const frames = await framesUntil(socket, (frame) => frame.type === 'data' && frame.streamId === 3 && frame.fin);
  const text = frames
    .map((frame) => (frame.type === 'data' && frame.streamId === 3 ? frame.data.toString() : ''))
    .join('');
  assert.match(text, /200 OK[^]*hello\n$/);
  socket.destroy();
});

test('StreamServer forwards a port over SPDY inside WebSocket, whose protocol has a slash', async () => {
  const { url } = await host.runtime.portForward({ podSandboxId: ids.podSandboxId });
  const { pathname, port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n';
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n${head}${key}\r\n`);
  const send = (payload: Buffer) =>
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
  const writer = new SpdyHeaderWriter();
  for (const [index, streamtype] of ['error', 'data'].entries()) {
    const headerBlock = writer.write({ streamtype, port: '80', requestid: '0' });
    send(encodeFrame({ type: 'synStream', streamId: index * 2 + 1, fin: false, headerBlock }));
  }
  send(encodeFrame({ type: 'data', streamId: 3, fin: false, data: Buffer.from(request) }));
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.includes('hello\n')) break;
  }
  assert.match(
    text,
    /^HTTP\/1.1 101[^]*Sec-WebSocket-Protocol: SPDY\/3.1\+portforward.k8s.io\r\n[^]*200 OK[^]*hello\n/,
  );
  socket.destroy();
});

test('StreamServer forwards ports over plain channels', async () => {
  const { url } = await host.runtime.portForward({ podSandboxId: ids.podSandboxId, port: [80, 81] });
  const client = await talk(url, 'v4.channel.k8s.io');
  client.socket.send(Buffer.from(`\0${request}`));
  await client.closed;
  assert.match(client.channels[0] ?? '', /200 OK[^]*hello\n$/);
  assert.match(client.channels[3] ?? '', /error forwarding port 81 to pod: failed to connect.*Connection refused/);
});

async function framesUntil(socket: Socket, done: (frame: SpdyFrame) => boolean): Promise<SpdyFrame[]> {
  const reader = new SpdyFrameReader();
  const frames: SpdyFrame[] = [];
  let head = Buffer.alloc(0);
  let upgraded = false;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    head = Buffer.concat([head, chunk]);
    const end = upgraded ? 0 : head.indexOf('\r\n\r\n') + 4;
    if (!upgraded && end < 4) continue;
    upgraded = true;
    frames.push(...reader.push(head.subarray(end)));
    head = Buffer.alloc(0);
    if (frames.some(done)) break;
  }
  return frames;
}
