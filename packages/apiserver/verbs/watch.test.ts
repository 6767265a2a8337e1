import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isReason, type Transport, type WatchEvent } from '@kubernode/api';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer, type ApiServer } from '../server.ts';

let server: ApiServer;
let transport: Transport;
const clock = new FakeClock();

before(async () => {
  server = await startApiServer({ store: memoryStore(), clock, log: silentLogger, random: seededRandom(7) });
  transport = server.transport('system:admin');
});
after(() => server.stop());

const pathIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

async function put(namespace: string, name: string, labels: Record<string, string>): Promise<ConfigMap> {
  const path = pathIn(namespace);
  const body = { metadata: { name, labels } };
  const known = server.state.get('', 'configmaps', name, namespace);
  return known
    ? transport.request({ method: 'PUT', path: `${path}/${name}`, body })
    : transport.request({ method: 'POST', path, body });
}

/** The first `count` events, as `TYPE name`. */
async function events(
  namespace: string,
  query: Record<string, string | number | boolean>,
  count: number,
): Promise<string[]> {
  const abort = new AbortController();
  const seen: string[] = [];
  const request = {
    method: 'GET',
    path: pathIn(namespace),
    query: { watch: true, ...query },
    signal: abort.signal,
  } as const;
  for await (const batch of transport.watch<ConfigMap>(request)) {
    for (const event of batch) seen.push(described(event));
    if (seen.length >= count) abort.abort();
  }
  return seen;
}

const described = ({ type, object }: WatchEvent<ConfigMap>) => `${type} ${object.metadata.name ?? ''}`.trim();

test('watch: what enters a selection is ADDED, what leaves it DELETED', async () => {
  const first = await put('labels', 'start', {});
  await put('labels', 'a', { on: 'yes' });
  await put('labels', 'a', { on: 'yes', more: '1' });
  await put('labels', 'a', { on: 'no' });
  await put('labels', 'a', { on: 'yes' });
  await transport.request({ method: 'DELETE', path: `${pathIn('labels')}/a` });
  const query = { labelSelector: 'on=yes', resourceVersion: first.metadata.resourceVersion ?? '' };
  assert.deepEqual(await events('labels', query, 5), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
});

test('watch: without a version it begins with what is there', async () => {
  await put('now', 'b', {});
  await put('now', 'a', {});
  assert.deepEqual(await events('now', {}, 2), ['ADDED a', 'ADDED b']);
});

test('watch: initial events end with a bookmark', async () => {
  await put('initial', 'a', {});
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
  assert.deepEqual(await events('initial', query, 2), ['ADDED a', 'BOOKMARK']);
});

test('watch: a version that is still to come begins there', async () => {
  const { metadata } = await put('future', 'a', {});
  const resourceVersion = String(Number(metadata.resourceVersion) + 1);
  const seen = events('future', { resourceVersion }, 1);
  await put('future', 'b', {});
  await put('future', 'c', {});
  assert.deepEqual(await seen, ['ADDED c']);
});

test('watch: a watch ends by itself after its timeout', async () => {
  const seen = events('timeout', { timeoutSeconds: 5 }, 1);
  await clock.advance(5_000);
  assert.deepEqual(await seen, []);
});

test('watch: combinations that make no sense are refused', async () => {
  await assert.rejects(events('bad', { resourceVersionMatch: 'Exact' }, 1), (error) => isReason(error, 'Invalid'));
  await assert.rejects(events('bad', { sendInitialEvents: true }, 1), (error) => isReason(error, 'Invalid'));
});

test('listOptions: numbers are those of 64 bits, and no others are made', async (t) => {
  const { mock } = t.mock.method(globalThis, 'BigInt');
  const list = (limit: string) => transport.request({ method: 'GET', path: pathIn('numbers'), query: { limit } });
  for (const limit of ['0', '+1', '-9223372036854775808', '9223372036854775807', `${'0'.repeat(100)}1`]) {
    await list(limit);
  }
  const refused = ['9223372036854775808', '-9223372036854775809', '9'.repeat(100_000)];
  for (const limit of refused) await assert.rejects(list(limit), /value out of range/);
  for (const limit of ['', '1.0', '1e3', '+', ' 1']) await assert.rejects(list(limit), /invalid syntax/);
  assert.equal(Math.max(...mock.calls.map(({ arguments: [value] }) => String(value).length)), 19);
});

test('watch: one that has ended before it began leaves no timers behind', async (t) => {
  const { mock } = t.mock.method(clock, 'after');
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
  const seen = events('late', { ...query, resourceVersion: 1_000_000 }, 1);
  seen.catch(() => {});
  await clock.advance(3_001);
  await assert.rejects(seen, (error) => isReason(error, 'Timeout'));
  const delaysMs = mock.calls.map(({ arguments: [delayMs] }) => delayMs);
  assert.deepEqual(
    delaysMs.filter((delayMs) => delayMs > 30_000),
    [],
  );
});
