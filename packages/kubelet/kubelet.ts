import type { Component } from '@kubernode/machinery';
import { startBackground } from './background.ts';
import { NodeAgent } from './node/node-agent.ts';
import { setUpNode } from './node-setup.ts';
import { completeOptions, type KubeletOptions } from './options.ts';
import { createPodWork } from './pod-work.ts';
import { startServer } from './server/start-server.ts';

/**
 * Makes this machine a node: registers it, runs the pods that are bound to it, and reports on them. Containers that an
 * earlier kubelet started are adopted. Resolves once the node is registered and pods are worked on; `stop` leaves all
 * containers running.
 */
export async function startKubelet(given: KubeletOptions): Promise<Component> {
  const options = completeOptions(given);
  const { client, cri, clock, random, log, registerNode } = options;
  const setup = await setUpNode(options);
  const work = createPodWork(options, setup, () => agent.node);
  const server = await startServer(options, setup, work).catch(async (error: unknown) => {
    await work.stop();
    throw error;
  });
  const facts = { ...setup.facts, port: server.port };
  const { recorder } = work.context;
  const agent: NodeAgent = new NodeAgent({ client, cri, clock, random, log, registerNode, facts, recorder });
  const stops: (() => Promise<void>)[] = [() => server.stop(), () => work.stop(), () => agent.stop()];
  const stopAll = async () => {
    for (const stop of stops.splice(0)) await stop();
  };
  try {
    await work.context.volumes.start();
    await agent.start();
    await work.synced();
  } catch (error) {
    await stopAll();
    throw error;
  }
  work.manager.start();
  const background = startBackground(options, work);
  stops.unshift(() => background.stop());
  let stopping: Promise<void> | undefined;
  return { name: 'kubelet', stop: () => (stopping ??= stopAll()) };
}
