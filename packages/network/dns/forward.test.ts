import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { forward } from './forward.ts';

test('forward throws where the upstream server answers what cannot be read', async () => {
  const upstream = createSocket('udp4');
  upstream.on('message', (_, peer) => upstream.send(Buffer.from([1]), peer.port, peer.address));
  await new Promise<void>((done) => upstream.bind(0, '127.0.0.1', done));
  const query = { id: 1, type: 'query', questions: [{ name: 'a.example', type: 'A' }] } as const;
  const { port } = upstream.address();
  await assert.rejects(forward(query as never, [{ address: '127.0.0.1', port }]), /answered what cannot be read/);
  upstream.close();
});
