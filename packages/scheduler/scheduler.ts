import { isReason } from '@kubernode/api';
import { Namespace, Node, Pod } from '@kubernode/api/core/v1';
import { PodDisruptionBudget } from '@kubernode/api/policy/v1';
import {
  createEventRecorder,
  type Client,
  type EventRecorder,
  type Informer,
  type InformerFactory,
} from '@kubernode/client';
import type { Clock, Component, Logger } from '@kubernode/machinery';
import { Cluster } from './cluster.ts';
import { schedule, type PreparedPlugins } from './cycle.ts';
import { fitMessage, type FitError } from './fit-error.ts';
import type { ClusterChange } from './framework.ts';
import { PodInfo } from './pod-info.ts';
import { defaultPlugins } from './plugins/index.ts';
import { preempt } from './preemption.ts';
import { SchedulingQueue, type QueuedPod } from './queue.ts';
import type { Snapshot } from './snapshot.ts';
import { watchCluster } from './watch-cluster.ts';
import { createWriter, schedulerName, type Writer } from './writes.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** Decisions are made in one go for at most this long; then other work of the process gets its turn. */
const sliceMs = 10;
/** The first node of a cluster is hardly ever ready when it appears. */
const newNodeSettleMs = 500;
/** Bindings under way at the same time; a slow API server then slows the decisions down. */
const bindingsMax = 100;

/** Gives every pod that asks for `default-scheduler` a node. Resolves once all informers have synced. */
export async function startScheduler(options: SchedulerOptions): Promise<Component> {
  const scheduler = new Scheduler(options);
  await scheduler.start();
  return scheduler;
}

class Scheduler implements Component {
  readonly name = schedulerName;
  readonly #options: SchedulerOptions;
  readonly #cluster = new Cluster();
  readonly #queue: SchedulingQueue;
  readonly #writer: Writer;
  readonly #recorder: EventRecorder;
  readonly #namespaces: Informer<Namespace>;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #writing = new Set<Promise<void>>();
  #startAt = 0;
  #isScheduled = false;
  #stopped = false;
  #unsubscribe = () => {};

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { client, clock, log, informers } = options;
    this.#recorder = createEventRecorder({ client, component: schedulerName, style: 'series', clock, log });
    this.#writer = createWriter(client, this.#recorder, clock);
    this.#queue = new SchedulingQueue({ clock, plugins: defaultPlugins, onReady: () => this.#wake() });
    this.#namespaces = informers.for(Namespace);
    this.#budgets = informers.for(PodDisruptionBudget);
  }

  async start(): Promise<void> {
    const { informers } = this.#options;
    const nodes = informers.for(Node);
    const pods = informers.for(Pod);
    await Promise.all([nodes, pods, this.#namespaces, this.#budgets].map(({ synced }) => synced));
    this.#unsubscribe = watchCluster({
      nodes,
      pods,
      cluster: this.#cluster,
      queue: this.#queue,
      isOurs: (pod) => pod.spec.schedulerName === schedulerName && !isGated(pod),
      onChange: (change: ClusterChange) => this.#queue.onChange(change),
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#queue.close();
    await Promise.all(this.#writing);
    await this.#recorder.stop();
  }

  /** Decides once the events that are being told are all told, and before anything else happens. */
  #wake(whenToGoOn: (work: () => void) => void = queueMicrotask): void {
    if (this.#isScheduled || this.#stopped) return;
    this.#isScheduled = true;
    whenToGoOn(() => {
      this.#isScheduled = false;
      this.#work();
    });
  }

  #work(): void {
    const endMs = performance.now() + sliceMs;
    while (!this.#stopped && this.#writing.size < bindingsMax && performance.now() < endMs) {
      const pod = this.#queue.pop();
      if (!pod) return;
      this.#decide(pod);
    }
    if (this.#writing.size < bindingsMax) this.#wake(setImmediate);
  }

  /** From the queue to a decision without a pause, so that nothing changes in between. */
  #decide(queued: QueuedPod): void {
    const pod = queued.info;
    if (pod.isTerminating || this.#cluster.isAssumed(pod.uid)) return;
    const snapshot = this.#cluster.snapshot((name) => this.#namespaces.get(name));
    const { random } = this.#options;
    const outcome = schedule(pod, snapshot, { plugins: defaultPlugins, random, startAt: this.#startAt });
    if (outcome.fits) {
      this.#startAt = outcome.startAt;
      this.#cluster.assume(pod, outcome.nodeName);
      this.#track(this.#bind(queued, outcome.nodeName));
    } else this.#refuse(queued, outcome.error, outcome.prepared, snapshot);
  }

  async #bind(queued: QueuedPod, nodeName: string): Promise<void> {
    const pod = queued.info;
    try {
      await this.#writer.bind(pod, nodeName);
    } catch (error) {
      this.#cluster.forget(pod.uid);
      if (isReason(error, 'NotFound', 'Conflict')) return; // Gone, or bound by another: its watch event tells.
      this.#queue.park(queued, new Set());
      await this.#writer.reportFailure(pod, 'SchedulerError', error instanceof Error ? error.message : String(error));
    }
  }

  #refuse(queued: QueuedPod, error: FitError, prepared: PreparedPlugins, snapshot: Snapshot): void {
    const pod = queued.info;
    if (snapshot.nodes.length > 0) this.#queue.park(queued, error.plugins);
    else {
      this.#queue.park(queued, new Set(['NodeName']), { settleMs: newNodeSettleMs });
      return this.#track(this.#writer.reportFailure(pod, 'Unschedulable', fitMessage(error)));
    }
    const found = preempt(pod, error, snapshot, prepared, defaultPlugins, this.#budgets.list());
    const message = fitMessage(found.nodeName === undefined ? { ...error, preemption: found.message } : error);
    if (found.nodeName !== undefined) {
      this.#makeRoom(pod, found.nodeName, found.victims);
    } else if (pod.pod.status.nominatedNodeName && !message.includes('terminating pod on the nominated node')) {
      this.#cluster.nominate(pod, '');
      this.#track(this.#writer.nominate(pod, ''));
    }
    this.#track(this.#writer.reportFailure(pod, 'Unschedulable', message));
  }

  #makeRoom(pod: PodInfo, nodeName: string, victims: readonly PodInfo[]): void {
    for (const other of this.#cluster.nominatedBelow(pod, nodeName)) {
      this.#cluster.nominate(other, '');
      this.#track(this.#writer.nominate(other, ''));
    }
    this.#cluster.nominate(pod, nodeName);
    this.#track(this.#writer.nominate(pod, nodeName));
    for (const victim of victims) this.#track(this.#writer.evict(victim, pod, nodeName));
  }

  #track(writing: Promise<void>): void {
    const tracked = writing
      .catch((error: unknown) => this.#options.log.warn('A write of the scheduler failed', { error: String(error) }))
      .finally(() => {
        this.#writing.delete(tracked);
        this.#wake();
      });
    this.#writing.add(tracked);
  }
}

const isGated = (pod: Pod) => defaultPlugins.some((plugin) => plugin.preEnqueue?.(pod) !== undefined);
