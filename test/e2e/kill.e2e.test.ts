/**
 * kill -9 of the API server under load, again and again on one data folder: nothing that was acknowledged is lost, and
 * whoever watches goes on where it was. KUBERNODE_KILLS says how often, KUBERNODE_SEED which moments.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, type Random } from '@kubernode/machinery';
import { KillableServer } from './kill-server.ts';
import { World } from './kill-world.ts';

const kills = Number(process.env['KUBERNODE_KILLS'] ?? 20);
const seed = Number(process.env['KUBERNODE_SEED'] ?? 1);
const port = Number(process.env['KUBERNODE_KILL_PORT'] ?? 23_017);
const timeoutMs = 60_000 + kills * 30_000;
const runMsMax = 1_000;
const startMsMax = 900;
const stopMsMax = 150;

const common = ['--service-cluster-ip-range=10.96.0.0/24', '--service-node-port-range=30000-30299'];
/** When the server is killed: while it serves, starts, stops, or forgets the past. */
const moments = ['serving', 'starting', 'serving', 'stopping', 'serving', 'compacting'] as const;
type Moment = (typeof moments)[number];

/** One life of the server, from a start to a kill, after one that ended at `last`. */
async function live(server: KillableServer, world: World, [last, moment]: readonly Moment[], random: Random) {
  const flags = moment === 'compacting' ? [...common, '--etcd-compaction-interval=300ms'] : common;
  if (moment === 'starting') {
    server.spawn(flags);
    await delay(random() * startMsMax);
    await server.kill();
  }
  await server.start(flags);
  await world.check(moment === 'compacting' || last === 'compacting');
  const stopped = new AbortController();
  const writing = Promise.all(world.writers.map((writer) => writer.run(stopped.signal)));
  // Told below, when the server is gone.
  writing.catch(() => {});
  await delay(random() * runMsMax * (moment === 'compacting' ? 3 : 1));
  if (moment === 'stopping') {
    server.signal('SIGTERM');
    await delay(random() * stopMsMax);
  }
  await server.kill();
  stopped.abort();
  await writing;
}

test(`${kills} times kill -9 under load lose no acknowledged write and no event`, { timeout: timeoutMs }, async (t) => {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'kubernode-kills-'));
  const server = new KillableServer({ folder, port });
  const world = new World(server.place, random);
  const ended = new AbortController();
  t.after(async () => {
    ended.abort();
    world.close();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await server.start(common);
  await world.prepare();
  const failed = Promise.withResolvers<never>();
  const following = world.followers.map((follower) => follower.run(ended.signal, () => server.whenUp()));
  for (const each of following) each.catch(failed.reject);
  const lives = async () => {
    await server.kill();
    let last: Moment = 'serving';
    for (let kill = 0; kill < kills; kill += 1) {
      const moment = moments[kill % moments.length]!;
      await live(server, world, [last, moment], random);
      last = moment;
    }
    await server.start(common);
    await world.check(true);
  };
  try {
    await Promise.race([lives(), failed.promise]);
  } catch (error) {
    t.diagnostic(server.output.slice(-4_000));
    throw error;
  }
  assert.doesNotMatch(server.output, /^\s+at .*:\d+/m);
  server.signal('SIGTERM');
  assert.equal(await server.ended(), 0, server.output);
  const database = new DatabaseSync(join(server.dataDir, 'state.db'), { readOnly: true });
  assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
  database.close();
  const answered = [...world.counts].map(([what, count]) => `${what}: ${count}`).toSorted();
  t.diagnostic(`${kills} kills; ${answered.join(', ')}; ${world.compared} events compared, ${world.gaps} expired`);
});
