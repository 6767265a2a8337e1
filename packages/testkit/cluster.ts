import { startApiServer } from '@kubernode/apiserver';
import {
  createClient,
  createEventRecorder,
  createInformerFactory,
  runController,
  type Client,
  type InformerFactory,
} from '@kubernode/client';
import { startControllers } from '@kubernode/controllers';
import { silentLogger, systemClock, type Clock, type Component, type Logger } from '@kubernode/machinery';
import { startScheduler } from '@kubernode/scheduler';
import { memoryStore } from '@kubernode/store';
import { nodeObject, simulatedNodes, type SimulatedNode } from './simulated-node.ts';
import { simulatedPods } from './simulated-pods.ts';
import { Node } from '@kubernode/api/core/v1';

export interface TestClusterOptions {
  /** How many simulated nodes it begins with; default 1, named `node-1` and so on. */
  readonly nodes?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

/** A whole control plane inside the test's process; nothing listens, nothing is written to disk. */
export interface TestCluster extends AsyncDisposable {
  /** As an administrator. */
  readonly client: Client;
  /** As any user: RBAC applies to others than `system:admin`. */
  clientFor(user: string): Client;
  addNode(name: string, node?: SimulatedNode): Promise<Node>;
  /** Resolves with the first answer that is not undefined, asked again every few milliseconds. Rejects after `timeoutMs`. */
  eventually<T>(what: string, ask: (client: Client) => Promise<T | undefined>, timeoutMs?: number): Promise<T>;
  stop(): Promise<void>;
}

const eventuallyMs = 10_000;
const retryMs = 10;

/**
 * Starts the API server on a store in memory, all controllers, the scheduler and simulated nodes, on which pods become
 * Running without containers.
 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes = 1, clock = systemClock, random = Math.random, log = silentLogger } = options;
  const store = memoryStore();
  const server = await startApiServer({ store, clock, log, random });
  const client = createClient(server.transport('system:admin'));
  const informers = createInformerFactory({ client, clock, log, random });
  const parts: Component[] = [server];
  const deps = { client, informers, clock, log, random };
  parts.push(await startControllers(deps));
  parts.push(await startScheduler(deps));
  parts.push(...simulation(deps));
  const addNode = (name: string, node?: SimulatedNode) => client.create(Node, nodeObject(name, node));
  await Promise.all(Array.from({ length: nodes }, (_, index) => addNode(`node-${index + 1}`)));
  const stop = async () => {
    for (const part of parts.toReversed()) if (part !== server) await part.stop();
    await informers.stop();
    await server.stop();
    await store.close();
  };
  return {
    client,
    clientFor: (user) => createClient(server.transport(user)),
    addNode,
    eventually: (what, ask, timeoutMs = eventuallyMs) => eventually(client, what, ask, timeoutMs),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface SimulationDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** The kubelets of all nodes that ask to be simulated. */
export function simulation(deps: SimulationDependencies): Component[] {
  const recorder = createEventRecorder({ ...deps, component: 'simulated-kubelet' });
  return [runController(simulatedNodes, { ...deps, recorder }), runController(simulatedPods, { ...deps, recorder })];
}

async function eventually<T>(
  client: Client,
  what: string,
  ask: (client: Client) => Promise<T | undefined>,
  timeoutMs: number,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask(client);
    if (answer !== undefined) return answer;
    if (Date.now() > deadlineMs) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
