import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { createPki } from '../pki/pki.ts';
import { startApiServer } from '../server.ts';

test('serve ends a watch on HTTP/2 when its client resets the stream, or is gone', async () => {
  const { serving } = createPki({ clock: systemClock });
  const server = await startApiServer({
    store: memoryStore(),
    clock: systemClock,
    log: silentLogger,
    random: seededRandom(1),
    listen: { host: '127.0.0.1', port: 0, tls: serving },
  });
  const admin = server.transport('system:admin');
  const watches = async () => {
    const { body } = await admin.stream({ method: 'GET', path: '/metrics' });
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return Number(/apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)/.exec(text)?.[1]);
  };
  const until = async (count: number) => {
    while ((await watches()) !== count) await new Promise((resolve) => setImmediate(resolve));
  };
  const client = connect(server.url!, { rejectUnauthorized: false });
  const open = async () => {
    const stream = client.request({ ':path': '/api/v1/configmaps?watch=true' });
    stream.on('error', () => {});
    await once(stream, 'response');
    return stream;
  };
  const first = await open();
  await open();
  await until(2);
  first.close();
  await until(1);
  client.destroy();
  await until(0);
  assert.equal(await watches(), 0);
  await server.stop();
});
