import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';
import { LentBuffers, type Filling, type Loan } from './lent-buffers.ts';

async function start() {
  const { serving } = createPki({ clock: systemClock });
  const server = await startServed({ tls: serving });
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

/** A stream whose answer has begun, and is not read. */
async function answered(client: ClientHttp2Session, path: string): Promise<ClientHttp2Stream> {
  const stream = client.request({ ':path': path });
  stream.on('error', () => {});
  await once(stream, 'response');
  return stream;
}

test('serve gives the seat of a long list on HTTP/2 back when its client resets the stream, or is gone', async () => {
  const { server, admin, until } = await start();
  const path = '/api/v1/namespaces/default/configmaps';
  for (let index = 0; index < 6; index += 1) {
    const body = { metadata: { name: `c-${index}` }, data: { value: 'v'.repeat(900_000) } };
    await admin.request({ method: 'POST', path, body });
  }
  const executing = /^apiserver_flowcontrol_current_executing_requests\{.*priority_level="exempt"\} (\d+)$/m;
  const client = connect(server.url!, { rejectUnauthorized: false, settings: { initialWindowSize: 100_000 } });
  const open = () => answered(client, path);
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

test('serve lets go of the memory of a list on HTTP/2 when its client resets the stream, or is gone', async (t) => {
  const { server, admin } = await start();
  const path = '/api/v1/namespaces/default/configmaps';
  await admin.request({
    method: 'POST',
    path,
    body: { metadata: { name: 'c' }, data: { value: 'v'.repeat(100_000) } },
  });
  const lent = new Set<Buffer>();
  const lend = Reflect.get(LentBuffers.prototype, 'lend') as (this: LentBuffers, filling: Filling) => Loan;
  t.mock.method(LentBuffers.prototype, 'lend', function count(this: LentBuffers, filling: Filling) {
    const loan = lend.call(this, filling);
    lent.add(loan.bytes);
    const ending = (end: () => void) => () => {
      lent.delete(loan.bytes);
      end();
    };
    return { bytes: loan.bytes, giveBack: ending(loan.giveBack), forsake: ending(loan.forsake) };
  });
  const untilLent = async (count: number) => {
    while (lent.size !== count) await setImmediate();
  };
  const client = connect(server.url!, { rejectUnauthorized: false, settings: { initialWindowSize: 10_000 } });
  const open = () => answered(client, path);
  const first = await open();
  await open();
  first.close();
  await untilLent(1);
  client.destroy();
  await untilLent(0);
  await server.stop();
});
