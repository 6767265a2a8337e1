import assert from 'node:assert/strict';
import { ServerResponse, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock, seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import type { ServerContext } from '../context.ts';
import { Metrics } from '../metrics/metrics.ts';
import type { Content } from '../request.ts';
import { requestLimitsDefault } from '../request-limits.ts';
import { startApiServer } from '../server.ts';
import { Watcher } from '../storage/watcher.ts';
import { cutUnlessTaken } from './patience.ts';
import { Turns } from './turns.ts';
import { tellWatch } from './watch-writer.ts';

test('writeWatch ends its answer once, also where its events have no form of their own', async (t) => {
  const listen = { host: '127.0.0.1', port: 0 };
  const options = { store: memoryStore(), clock: systemClock, log: silentLogger, random: seededRandom(1), listen };
  const server = await startApiServer(options);
  t.after(() => server.stop());
  const admin = server.transport('system:admin');
  await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
  const { hostname, port } = new URL(server.url!);
  const socket = connect(Number(port), hostname);
  const get = (path: string, ...headers: string[]) =>
    socket.write([`GET ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'));
  get(
    '/api/v1/namespaces?watch=true&timeoutSeconds=1',
    'Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  );
  get('/version', 'Connection: close');
  const answers = (await text(socket)).split('HTTP/1.1 200 OK\r\n').slice(1);
  const bodies = answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  assert.equal(bodies[0], '0\r\n\r\n');
  assert.match(bodies[1] ?? '', /"gitVersion"/);
});

/** A connection whose client takes so many bytes in a millisecond. */
class SlowWire extends Duplex {
  bytesWritten = 0;
  readonly #clock: FakeClock;
  readonly #bytesPerMs: number;

  constructor(clock: FakeClock, bytesPerMs: number) {
    super();
    this.#clock = clock;
    this.#bytesPerMs = bytesPerMs;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytesWritten += chunk.length;
    if (this.#bytesPerMs > 0) this.#clock.after(chunk.length / this.#bytesPerMs, done);
  }
}

/** An answer of HTTP/1.1 on this connection. */
function answerOn(wire: SlowWire): ServerResponse {
  const outgoing = new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage);
  outgoing.assignSocket(wire as unknown as Socket);
  outgoing.writeHead(200);
  outgoing.flushHeaders();
  return outgoing;
}

/** The bytes that a client is given of a watch that has ended, with a long batch to be told still. */
async function givenOf(bytesPerMs: number, outgoingOn: (wire: SlowWire) => ServerResponse | SlowWire): Promise<number> {
  const clock = new FakeClock();
  const wire = new SlowWire(clock, bytesPerMs);
  const outgoing = outgoingOn(wire);
  const watcher = new Watcher({ namespace: '', name: '', matches: undefined }, 0);
  const resource = { group: '', version: 'v1', plural: 'configmaps' };
  const watch = { type: 'watch', watcher, resource } as unknown as Extract<Content, { type: 'watch' }>;
  const server = {
    clock,
    turns: new Turns(clock),
    metrics: new Metrics(() => clock.now()),
    limits: requestLimitsDefault,
  };
  const encoder = { batch: () => Buffer.alloc(1_000_000, 'x'), error: () => Buffer.of() };
  cutUnlessTaken({ content: watch }, outgoing, server as unknown as ServerContext);
  watcher.push({ type: 'BOOKMARK', revision: 1, initialEventsEnd: false });
  const told = tellWatch(watch, encoder, outgoing, server as unknown as ServerContext);
  await setImmediate();
  watcher.end();
  for (let round = 0; round < 2_000 && !outgoing.writableFinished && !outgoing.destroyed; round += 1) {
    await clock.advance(100);
    await setImmediate();
  }
  await told;
  return wire.bytesWritten;
}

const outgoings = [
  ['HTTP/1.1', answerOn],
  ['a stream, as on HTTP/2', (wire: SlowWire) => wire],
] as const;

for (const [name, outgoingOn] of outgoings) {
  test(`tellWatch over ${name} lets a slow client take all of a long batch of a watch that has ended`, async () => {
    assert.ok((await givenOf(20, outgoingOn)) >= 1_000_000);
  });

  test(`tellWatch over ${name} gives a client that takes nothing little of a long batch, and is over when it is cut`, async () => {
    assert.ok((await givenOf(0, outgoingOn)) < 100_000);
  });
}
