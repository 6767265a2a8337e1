import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { switchProtocols } from './switch-protocols.ts';

const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

/** A client that takes what it is told when `take` is called, and a server that switches. */
function bothSides() {
  const told: Buffer[] = [];
  let take: (() => void) | undefined;
  const client = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      take = () => {
        told.push(chunk);
        take = undefined;
        done();
      };
    },
  });
  const server = new Duplex({
    allowHalfOpen: false,
    read() {},
    write(_chunk, _encoding, done) {
      if (!asked) server.push(switched);
      asked = true;
      done();
    },
  });
  let asked = false;
  const takeAll = async () => {
    while (!client.destroyed) {
      take?.();
      await setImmediate();
    }
  };
  return { client, server, takeAll, text: () => Buffer.concat(told).toString() };
}

const handOver = (client: Duplex, server: Duplex) =>
  switchProtocols({
    client: { socket: client, head: Buffer.alloc(0) },
    server,
    method: 'GET',
    path: '/',
    headers: { connection: 'Upgrade', upgrade: 'x' },
    signal: new AbortController().signal,
  });

async function handedOver() {
  const both = bothSides();
  assert.equal(await handOver(both.client, both.server), 'upgraded');
  return both;
}

test('switchProtocols lets a slow client take what a server said before it left', async () => {
  const { server, takeAll, text } = await handedOver();
  server.push('last ');
  server.push('words');
  server.push(null);
  while (!server.destroyed) await setImmediate();
  await takeAll();
  assert.equal(text(), `${switched}last words`);
});

test('switchProtocols ends both connections when one breaks', async () => {
  for (const side of ['client', 'server'] as const) {
    const both = await handedOver();
    both[side].destroy(new Error('broken'));
    await setImmediate();
    assert.ok(both.client.destroyed && both.server.destroyed);
  }
});

test('switchProtocols keeps no server for a client that was gone before', async () => {
  const { client, server } = bothSides();
  client.destroy();
  await once(client, 'close');
  await assert.rejects(handOver(client, server), /context canceled/);
  assert.ok(server.destroyed);
});
