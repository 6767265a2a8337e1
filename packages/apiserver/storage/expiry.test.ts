import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Transport } from '@kubernode/api';
import type { Event } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, type Store } from '@kubernode/store';
import { startApiServer } from '../server.ts';

const hourMs = 60 * 60_000;
const path = '/api/v1/namespaces/default/events';

const common = { log: silentLogger, random: seededRandom(1), compactionIntervalMs: 0 };

async function startOn(t: TestContext, store: Store, clock: FakeClock, eventTtlMs?: number): Promise<Transport> {
  const server = await startApiServer({ ...common, store, clock, eventTtlMs });
  t.after(() => server.stop());
  return server.transport('system:admin');
}

async function create(transport: Transport, name: string, annotations?: Record<string, string>): Promise<void> {
  const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
  const metadata = { name, ...(annotations && { annotations }) };
  await transport.request<Event>({ method: 'POST', path, body: { metadata, involvedObject } });
}

async function names(transport: Transport): Promise<string[]> {
  const { items } = await transport.request<{ items: Event[] }>({ method: 'GET', path });
  return items.map(({ metadata }) => metadata.name ?? '');
}

test('startExpiry removes events an hour after their last write, also over a restart', async (t) => {
  const clock = new FakeClock();
  const store = memoryStore();
  const first = await startOn(t, store, clock);
  await create(first, 'old');
  await create(first, 'again');
  await clock.advance(hourMs / 2);
  const body = { count: 2 };
  const contentType = 'application/merge-patch+json';
  await first.request({ method: 'PATCH', path: `${path}/again`, body, contentType });
  await clock.advance(hourMs / 2 - 60_000);
  assert.deepEqual(await names(first), ['again', 'old']);
  const abort = new AbortController();
  const watched: string[] = [];
  const watching = (async () => {
    const query = { watch: true, resourceVersion: String(await store.revision()) };
    for await (const batch of first.watch<Event>({ method: 'GET', path, query, signal: abort.signal })) {
      for (const { type, object } of batch) watched.push(`${type} ${object.metadata.name}`);
      abort.abort();
    }
  })();
  await clock.advance(3 * 60_000);
  await watching;
  assert.deepEqual(watched, ['DELETED old']);
  assert.deepEqual(await names(first), ['again']);
  const second = await startOn(t, store, clock);
  await clock.advance(hourMs / 2);
  assert.deepEqual(await names(second), []);
});

test('startExpiry keeps events for ever where there is no time', async (t) => {
  const clock = new FakeClock();
  const transport = await startOn(t, memoryStore(), clock, 0);
  await create(transport, 'kept');
  await clock.advance(10 * hourMs);
  assert.deepEqual(await names(transport), ['kept']);
});

test('startExpiry believes no event that it was written in the future', async (t) => {
  const clock = new FakeClock();
  const store = memoryStore();
  const first = await startApiServer({ ...common, store, clock });
  await create(first.transport('system:admin'), 'late', { time: '2999-01-01T00:00:00Z' });
  await first.stop();
  const second = await startOn(t, store, clock);
  await clock.advance(60_000);
  await create(second, 'new');
  await clock.advance(hourMs + 3 * 60_000);
  assert.deepEqual(await names(second), []);
});
