/** kill -9 while a server starts for the first time: the next start makes the rest, and nothing half-made stays. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@kubernode/machinery';
import { http1 } from './kill-api.ts';
import { KillableServer } from './kill-server.ts';

const folders = 3;
const killsEach = 4;
const port = 23_019;
const seed = Number(process.env['KUBERNODE_SEED'] ?? 1);

const made = [
  '/api/v1/namespaces',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/kube-system/configmaps',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/networking.k8s.io/v1/servicecidrs',
  '/apis/networking.k8s.io/v1/ipaddresses',
];

function newServer(t: TestContext): KillableServer {
  const folder = mkdtempSync(join(tmpdir(), 'kubernode-kill-start-'));
  const server = new KillableServer({ folder, port });
  t.after(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  return server;
}

/** What a first start makes: the names of its objects, and its files. */
async function found(server: KillableServer): Promise<readonly string[]> {
  const api = http1(server.place);
  const names: string[] = [];
  for (const path of made) {
    const { code, text } = await api.send({ method: 'GET', path });
    assert.equal(code, 200, text);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    names.push(...items.map(({ metadata }) => `${path} ${metadata.name}`));
  }
  api.close();
  return [...names, ...readdirSync(join(server.dataDir, 'pki')).toSorted()];
}

test(
  'a first start that is killed again and again makes what an undisturbed one makes',
  { timeout: 300_000 },
  async (t) => {
    const random = seededRandom(seed);
    const undisturbed = newServer(t);
    const startedMs = performance.now();
    await undisturbed.start();
    const startMs = performance.now() - startedMs;
    const expected = await found(undisturbed);
    assert.ok(expected.length > 100, expected.join('\n'));
    await undisturbed.kill();
    for (let folder = 0; folder < folders; folder += 1) {
      const server = newServer(t);
      for (let kill = 0; kill < killsEach; kill += 1) {
        server.spawn();
        await delay(random() * startMs);
        await server.kill();
      }
      await server.start();
      assert.deepEqual(await found(server), expected);
      await server.kill();
    }
  },
);
