import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import { Connections } from './connections.ts';

test('Connections refuses what is not encrypted on its own connection, and not on one with the same port', () => {
  const web = new EventEmitter();
  const context = { clock: new FakeClock(), limits: { lingerMs: 1_000 } } as unknown as ServerContext;
  new Connections().follow(web as Server, context);
  const ends = { remotePort: 50_000, localAddress: '192.0.2.1' };
  const sockets = ['198.51.100.1', '198.51.100.2'].map((remoteAddress) =>
    Object.assign(new PassThrough(), { ...ends, remoteAddress }),
  );
  for (const socket of sockets) web.emit('connection', socket);
  const error = Object.assign(new Error('http request'), { code: 'ERR_SSL_HTTP_REQUEST' });
  web.emit('tlsClientError', error, { ...ends, remoteAddress: '198.51.100.2' });
  assert.deepEqual(
    sockets.map(({ writableEnded }) => writableEnded),
    [false, true],
  );
});
