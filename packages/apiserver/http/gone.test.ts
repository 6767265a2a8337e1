import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { createPki } from '../pki/pki.ts';
import { startApiServer } from '../server.ts';

async function start() {
  const { serving } = createPki({ clock: systemClock });
  const server = await startApiServer({
    store: memoryStore(),
    clock: systemClock,
    log: silentLogger,
    random: seededRandom(1),
    listen: { host: '127.0.0.1', port: 0, tls: serving },
  });
  const admin = server.transport('system:admin');
  /** Waits until a metric says so. */
  const until = async (series: RegExp, count: number) => {
    for (let found = NaN; found !== count; await setImmediate()) {
      const { body } = await admin.stream({ method: 'GET', path: '/metrics' });
      let text = '';
      for await (const chunk of body) text += Buffer.from(chunk).toString();
      found = Number(series.exec(text)?.[1]);
    }
  };
  return { server, admin, until };
}

test('serve ends a watch on HTTP/2 when its client resets the stream, or is gone', async () => {
  const { server, until } = await start();
  const watches = /apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)/;
  const client = connect(server.url!, { rejectUnauthorized: false });
  const open = async () => {
    const stream = client.request({ ':path': '/api/v1/configmaps?watch=true' });
    stream.on('error', () => {});
    await once(stream, 'response');
    return stream;
  };
  const first = await open();
  await open();
  await until(watches, 2);
  first.close();
  await until(watches, 1);
  client.destroy();
  await until(watches, 0);
  await server.stop();
});

test('serve gives the seat of a long list on HTTP/2 back when its client resets the stream, or is gone', async () => {
  const { server, admin, until } = await start();
  const path = '/api/v1/namespaces/default/configmaps';
  for (let index = 0; index < 6; index += 1) {
    const body = { metadata: { name: `c-${index}` }, data: { value: 'v'.repeat(900_000) } };
    await admin.request({ method: 'POST', path, body });
  }
  const executing = /^apiserver_flowcontrol_current_executing_requests\{.*priority_level="exempt"\} (\d+)$/m;
  const client = connect(server.url!, { rejectUnauthorized: false, settings: { initialWindowSize: 100_000 } });
  const open = async () => {
    const stream = client.request({ ':path': path });
    stream.on('error', () => {});
    await once(stream, 'response');
    return stream;
  };
  const first = await open();
  await open();
  // One is the question itself.
  await until(executing, 3);
  first.close();
  await until(executing, 2);
  client.destroy();
  await until(executing, 1);
  await server.stop();
});
