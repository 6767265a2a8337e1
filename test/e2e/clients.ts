/**
 * A control plane for real clients: API server over TLS with RBAC and admission, controllers, scheduler and simulated
 * nodes, inside the test's process, on a free port of loopback. Clients find it by a kubeconfig of the administrator.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@kubernode/api';
import { Node } from '@kubernode/api/core/v1';
import { createPki, kubeconfig, startApiServer, withSecurity, type FeatureGates, type Pki } from '@kubernode/apiserver';
import { createClient, createInformerFactory } from '@kubernode/client';
import { startControllers } from '@kubernode/controllers';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { startScheduler } from '@kubernode/scheduler';
import { memoryStore } from '@kubernode/store';
import { simulation } from '@kubernode/testkit';
import { runProcess, startProcess, type Outcome, type RunOptions, type RunningProcess } from './process.ts';

export interface ClientsServer {
  readonly url: string;
  readonly pki: Pki;
  /** As an administrator, without the network. */
  readonly admin: Transport;
  /** For the test's own files; removed at the end. */
  readonly folder: string;
  /** Runs a client to its end, with KUBECONFIG and a HOME of its own. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** The same; throws with what it said where it exits with another code than 0. Answers its standard output. */
  output(command: string, args: readonly string[], options?: RunOptions): Promise<string>;
  /** Leaves it running; it is ended with the server. */
  start(command: string, args: readonly string[], options?: RunOptions): RunningProcess;
  stop(): Promise<void>;
}

/** Without a kubelet: pods become Running on them, and no container starts. */
const nodes = ['node-1', 'node-2', 'node-3'];
const capacity = { cpu: '4', memory: '8Gi', pods: '110' };

export async function startClientsServer(featureGates: FeatureGates = {}): Promise<ClientsServer> {
  const common = { clock: systemClock, log: silentLogger, random: Math.random };
  const pki = createPki({ clock: systemClock });
  const clientCa = pki.clusterCa.certificate;
  const server = await startApiServer({
    store: memoryStore(),
    ...common,
    featureGates,
    listen: { host: '127.0.0.1', port: 0, tls: { ...pki.serving, clientCa } },
    ...withSecurity({
      ...common,
      serviceAccountSigningKey: pki.serviceAccountKey,
      serviceRanges: ['10.96.0.0/16'],
      serviceAddress: '10.96.0.1',
      endpoint: () => ({ address: '192.0.2.1', port: 6443 }),
      clientCa,
    }),
  });
  const admin = server.transport('system:admin');
  const client = createClient(admin);
  const informers = createInformerFactory({ client, ...common });
  const deps = { client, informers, ...common };
  const clientFor = (name: string) => createClient(server.transport(`system:serviceaccount:kube-system:${name}`));
  const authorities = { rootCa: clientCa, clusterCa: pki.clusterCa, clusterCidr: '10.244.0.0/16' };
  const parts = [
    await startControllers({ ...deps, clientFor, ...authorities }),
    await startScheduler(deps),
    ...simulation(deps),
  ];
  for (const name of nodes) {
    const metadata = {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: { 'kubernetes.io/hostname': name },
    };
    await client.create(Node, { metadata, status: { capacity, allocatable: capacity } });
  }

  const folder = mkdtempSync(join(tmpdir(), 'kn-clients-'));
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfig({ server: server.url!, certificateAuthority: clientCa, user: pki.client('admin') }));
  const env = { ...process.env, KUBECONFIG: file, HOME: folder, NODE_TEST_CONTEXT: undefined };
  const withEnv = (options: RunOptions = {}) => ({ cwd: folder, ...options, env: { ...env, ...options.env } });
  const run: ClientsServer['run'] = (command, args, options) => runProcess(command, args, withEnv(options));
  const started: RunningProcess[] = [];
  return {
    url: server.url!,
    pki,
    admin,
    folder,
    run,
    async output(command, args, options) {
      const { code, stdout, stderr } = await run(command, args, options);
      assert.equal(code, 0, `${command} ${args.join(' ')} answered ${code}: ${stderr}${stdout}`);
      return stdout;
    },
    start(command, args, options) {
      const running = startProcess(command, args, withEnv(options));
      started.push(running);
      return running;
    },
    async stop() {
      for (const running of started) await running.end();
      for (const part of parts.toReversed()) await part.stop();
      await informers.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
