import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createPki, networkTransport, startApiServer, withSecurity } from '@kubernode/apiserver';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { differences } from './run.ts';
import type { Scenario } from './scenario.ts';
import { notWhole } from './not-whole.ts';

const folder = join(import.meta.dirname, '../recordings/scenarios');
const token = 'admintoken';
const pki = createPki({ clock: systemClock });
const kubeletClient = pki.client('kube-apiserver-kubelet-client');
const kubeletTransport = networkTransport({
  kubeletCa: pki.clusterCa.certificate,
  clientCertificate: kubeletClient.certificate,
  clientKey: kubeletClient.key,
});
const only = process.env['SCENARIO'] ?? '';

/** Scenarios that wait for more than five seconds. */
const patient: ReadonlySet<string> = new Set(['watch: bookmarks', 'watch: initial events']);

/** Runs each scenario against a server of its own: those that wait long, or all others. */
export function runScenarios(which: 'patient' | 'quick'): void {
  const scenarios = readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario)
    .filter(({ name, slow }) => !slow && name.includes(only) && patient.has(name) === (which === 'patient'));
  void test(`scenarios, the ${which} ones`, { concurrency: 16 }, async (context) => {
    await Promise.all(scenarios.map((scenario) => context.test(scenario.name, () => check(scenario, context))));
  });
}

/** On a busy machine what happens during a watch may come too late for it: a second time counts. */
const attemptsMax = 2;

async function check(scenario: Scenario, context: TestContext): Promise<void> {
  const reason = notWhole[scenario.name];
  let found = await run(scenario, reason !== undefined);
  for (let attempt = 2; found.length > 0 && !reason && attempt <= attemptsMax; attempt++) {
    context.diagnostic(`${scenario.name}, once more: ${found[0]}`);
    found = await run(scenario, false);
  }
  if (!reason) assert.deepEqual(found, []);
  else if (found.length === 0) context.diagnostic(`${scenario.name} agrees whole: strike it off not-whole.ts`);
}

async function run(scenario: Scenario, isHasty: boolean): Promise<string[]> {
  const server = await startServer();
  try {
    return await differences(scenario, server.url!, token, isHasty ? 1 : undefined);
  } finally {
    await server.stop();
  }
}

async function startServer() {
  const port = await freePort();
  const common = { clock: systemClock, log: silentLogger, random: Math.random };
  return startApiServer({
    store: memoryStore(),
    ...common,
    listen: { host: '127.0.0.1', port },
    runtimeConfig: { 'api/all': true },
    ...withSecurity({
      ...common,
      serviceAccountSigningKey: pki.serviceAccountKey,
      clientCa: pki.clusterCa.certificate,
      tokens: new Map([[token, { name: 'admin', uid: '1', groups: ['system:masters'] }]]),
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      kubeletTransport,
      endpoint: () => ({ address: '127.0.0.1', port }),
    }),
  });
}

/** The kubernetes Service names the port before the server listens on it. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
    probe.on('error', reject);
  });
}
