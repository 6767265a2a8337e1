/**
 * A whole cluster of simulated nodes, for trying things out and for replaying recorded scenarios:
 * `node packages/testkit/dev-server.ts [--port 8001] [--tls] [--verbose]`. Memory store, on loopback, every API served,
 * one administrator whose token is `admintoken`.
 */
import { parseArgs } from 'node:util';
import { createPki, startApiServer, withSecurity } from '@kubernode/apiserver';
import { createClient, createInformerFactory } from '@kubernode/client';
import { startControllers } from '@kubernode/controllers';
import { systemClock, type Logger } from '@kubernode/machinery';
import { startScheduler } from '@kubernode/scheduler';
import { memoryStore } from '@kubernode/store';
import { simulation } from './cluster.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8001' },
    tls: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const port = Number(values.port);

function consoleLogger(name: string): Logger {
  const write = (message: string, fields?: object) => console.error(`${name}: ${message}`, fields ?? '');
  const quiet = () => {};
  return {
    error: write,
    warn: write,
    info: quiet,
    debug: values.verbose ? write : quiet,
    child: (part) => consoleLogger(name ? `${name}.${part}` : part),
  };
}

const startedMs = performance.now();
const common = { clock: systemClock, log: consoleLogger(''), random: Math.random };
const pki = createPki({ clock: systemClock });
const server = await startApiServer({
  store: memoryStore(),
  ...common,
  listen: { host: '127.0.0.1', port, tls: values.tls ? pki.serving : undefined },
  runtimeConfig: { 'api/all': true },
  ...withSecurity({
    ...common,
    serviceAccountSigningKey: pki.serviceAccountKey,
    tokens: new Map([['admintoken', { name: 'admin', uid: '1', groups: ['system:masters'] }]]),
    serviceRanges: ['10.96.0.0/16'],
    serviceAddress: '10.96.0.1',
    endpoint: () => ({ address: '192.0.2.1', port }),
    clientCa: pki.clusterCa.certificate,
  }),
});
const client = createClient(server.transport('system:admin'));
const informers = createInformerFactory({ client, ...common });
const deps = { client, informers, ...common };
const parts = [
  server,
  await startControllers({
    ...deps,
    // As their service accounts: so a missing RBAC rule shows here.
    clientFor: (name) => createClient(server.transport(`system:serviceaccount:kube-system:${name}`)),
    rootCa: pki.clusterCa.certificate,
    clusterCa: pki.clusterCa,
    clusterCidr: '10.244.0.0/16',
  }),
  await startScheduler(deps),
  ...simulation(deps),
];
console.log(`${server.url} after ${Math.round(performance.now() - startedMs)} ms`);

// Keeps the process alive: informers and servers alone do not hold it where all is in memory.
const alive = setInterval(() => {}, 1 << 30);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(alive);
    void (async () => {
      for (const part of parts.toReversed()) await part.stop();
      await informers.stop();
      process.exit(0);
    })();
  });
}
