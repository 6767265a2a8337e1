/**
 * Many clients that change few objects at the same time. An answer says which version its change made: what the watch tells,
 * version after version, must be what the acknowledged changes make one after the other in that order, and every list what
 * was there at its version. Only who says what it expects to find may be told that it is not so.
 */
import assert from 'node:assert/strict';
import { connect, type ClientHttp2Session } from 'node:http2';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { until } from '../e2e/process.ts';
import { startOwnServer, type OwnServer } from '../../bench/lib/server.ts';
import {
  path,
  send,
  watch,
  work,
  type Answer,
  type Change,
  type Event,
  type List,
  type Listener,
} from './contenders.ts';

const clientCount = 24;
const watcherCount = 300;
const watchersPerSession = 100;
/** Twice: without all the watches, and beside them. */
const contentionMs = 5_000;

const versionOf = ({ metadata }: ConfigMap | List): number => Number(metadata.resourceVersion);

/** All that was told to the clients. */
class Story implements Listener {
  /** By the version that was answered. */
  readonly changes = new Map<number, { readonly answer: ConfigMap; readonly change: Change }[]>();
  readonly removedUids = new Set<string>();
  readonly lists: List[] = [];

  noteList(list: List): void {
    this.lists.push(list);
  }

  noteChange(answer: Answer, change: Change): void {
    const { uid, deletionTimestamp, finalizers } = answer.metadata;
    const removed = answer.details?.uid ?? (deletionTimestamp && !finalizers ? uid : undefined);
    if (removed === undefined) {
      const version = versionOf(answer);
      this.changes.set(version, [...(this.changes.get(version) ?? []), { answer, change }]);
    } else {
      assert.ok(!this.removedUids.has(removed), `${removed} was removed twice`);
      this.removedUids.add(removed);
    }
  }

  /** Tells it again by what a watch was told from the beginning. */
  check(events: readonly Event[]): void {
    const there = new Map<string, ConfigMap>();
    const lists = this.lists.toSorted((a, b) => versionOf(a) - versionOf(b));
    let told = 0;
    for (const { type, object } of events) {
      const { name, uid } = object.metadata;
      const version = versionOf(object);
      assert.ok(version > told, `${version} was told after ${told}`);
      while (lists[0] && versionOf(lists[0]) < version) checkList(lists.shift()!, there);
      told = version;
      const before = there.get(name);
      assert.equal(before?.metadata.uid, type === 'ADDED' ? undefined : uid);
      if (type === 'DELETED') {
        assert.ok(this.removedUids.delete(uid!), `nobody removed ${uid}`);
        there.delete(name);
        continue;
      }
      const changes = this.changes.get(version) ?? [];
      for (const { answer } of changes) assert.deepEqual(answer, object);
      const isMade = changes.some(({ change }) => isDeepStrictEqual(change(before?.data ?? {}), object.data));
      assert.ok(isMade, `nobody made ${JSON.stringify(object.data)} of ${JSON.stringify(before?.data)}`);
      this.changes.delete(version);
      there.set(name, object);
    }
    for (const list of lists) checkList(list, there);
    assert.deepEqual([this.changes.size, this.removedUids.size], [0, 0], 'acknowledged, and not told to the watch');
  }
}

function checkList({ items }: List, there: ReadonlyMap<string, ConfigMap>): void {
  const ofNames = (objects: Iterable<ConfigMap>) =>
    Array.from(objects, ({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).toSorted();
  assert.deepEqual(ofNames(items), ofNames(there.values()));
}

let server: OwnServer;
before(async () => {
  server = await startOwnServer();
});
after(() => server.stop());

test(`${clientCount} clients that change few objects beside ${watcherCount} watches`, async (t) => {
  const sessions: ClientHttp2Session[] = [];
  t.after(() => sessions.forEach((session) => session.destroy()));
  const open = () => {
    const on = connect(server.url, { rejectUnauthorized: false });
    sessions.push(on);
    return { on, token: server.token };
  };
  const first = open();
  const listed = async () => (await send(first, 'GET', path)).body as List;
  const events: Event[] = [];
  watch(first, (await listed()).metadata.resourceVersion, (line) => events.push(JSON.parse(line) as Event));
  const story = new Story();
  const counts = Array.from({ length: watcherCount }, () => 0);
  const contend = (from: number) => {
    const untilMs = performance.now() + contentionMs;
    return Promise.all(Array.from({ length: clientCount }, (_, index) => work(open(), from + index, story, untilMs)));
  };
  await contend(0);
  const { resourceVersion } = (await listed()).metadata;
  for (let from = 0; from < watcherCount; from += watchersPerSession) {
    const api = open();
    for (let index = from; index < from + watchersPerSession; index += 1) {
      watch(api, resourceVersion, () => (counts[index]! += 1));
    }
  }
  await contend(clientCount);
  story.noteList(await listed());
  const last = versionOf(story.lists.at(-1)!);
  await until('the last event', () => versionOf(events.at(-1)!.object) === last);
  const expected = events.filter(({ object }) => versionOf(object) > Number(resourceVersion)).length;
  await until('as many events for all', () => counts.every((count) => count === expected));
  story.check(events);
  assert.ok(expected > 100 && events.length > expected + 100, `only ${events.length} changes`);
});
