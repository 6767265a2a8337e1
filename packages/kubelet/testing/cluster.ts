import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import type { Draft } from '@kubernode/api';
import { Event, Namespace, Pod, type PodSpec } from '@kubernode/api/core/v1';
import { startApiServer } from '@kubernode/apiserver';
import { createClient, type Client } from '@kubernode/client';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startKubelet } from '../kubelet.ts';
import type { KubeletOptions } from '../options.ts';
import type { Mounter } from '../volumes/mounter.ts';
import { simulatedRuntime, type SimulatedRuntime } from './simulated-cri.ts';

export interface TestNode {
  readonly clock: FakeClock;
  readonly client: Client;
  readonly runtime: SimulatedRuntime;
  readonly rootDir: string;
  createPod(name: string, spec?: Draft<PodSpec>): Promise<Pod>;
  /** The pod as the API has it; undefined once it is gone. */
  pod(name: string): Promise<Pod | undefined>;
  /** Lets everything settle, without moving the clock, until the condition holds. */
  until(what: string, condition: () => Promise<boolean> | boolean): Promise<void>;
  /** `reason: message` of the events so far, oldest first. */
  events(): Promise<string[]>;
  startKubelet(more?: Partial<KubeletOptions>): Promise<{ stop(): Promise<void> }>;
}

/** Of real time: files are written by threads that do not know the clock of the test. */
const patienceMs = 30_000;
/** Turns of the event loop after which the threads are left alone for a moment. */
const turnsMax = 1_000;
const noMounts: Mounter = { async tmpfs() {}, async bind() {}, async unmount() {}, mountsBelow: async () => [] };

/** A real API server in memory and a simulated runtime; the kubelet is the real one. All end with the test. */
export async function testNode(t: TestContext): Promise<TestNode> {
  const clock = new FakeClock();
  const random = seededRandom(1);
  const log = silentLogger;
  const rootDir = await mkdtemp(join(tmpdir(), 'kubelet-'));
  const store = memoryStore();
  const server = await startApiServer({ store, clock, random, log });
  const client = createClient(server.transport('system:admin'));
  const runtime = simulatedRuntime(clock);
  const kubelets: { stop(): Promise<void> }[] = [];
  t.after(async () => {
    for (const kubelet of kubelets) await kubelet.stop();
    await server.stop();
    await store.close();
    await rm(rootDir, { recursive: true, force: true });
  });
  await client.create(Namespace, { metadata: { name: 'default' } }).catch(() => {});
  const pod = (name: string) => client.get(Pod, name, 'default').catch(() => undefined);
  return {
    clock,
    client,
    runtime,
    rootDir,
    pod,
    async until(what, condition) {
      const endMs = performance.now() + patienceMs;
      for (let turn = 0; performance.now() < endMs; turn++) {
        if (await condition()) return;
        await clock.advance(0);
        if (turn > turnsMax) await delay(1);
      }
      throw new Error(`still waiting: ${what}`);
    },
    createPod: (name, spec = {}) =>
      client.create(Pod, {
        metadata: { name, namespace: 'default' },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }], ...spec } as Draft<PodSpec>,
      }),
    async events() {
      const { items } = await client.list(Event, { namespace: 'default' });
      return items
        .filter(({ involvedObject }) => involvedObject.kind === 'Pod')
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    async startKubelet(more = {}) {
      const kubelet = await startKubelet({
        client,
        cri: runtime.cri,
        nodeName: 'node-1',
        rootDir,
        clock,
        random,
        log,
        nodeAddresses: ['192.168.0.1'],
        cgroupRoot: false,
        mounter: noMounts,
        ...more,
      });
      kubelets.push(kubelet);
      return kubelet;
    },
  };
}
