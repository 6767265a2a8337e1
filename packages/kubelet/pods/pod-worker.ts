import { isReason } from '@kubernode/api';
import { Pod, type PodStatus } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { rm } from 'node:fs/promises';
import { podLogsDir } from '../containers/sandbox-config.ts';
import { readRuntimePod } from '../cri/runtime-state.ts';
import { planPod } from '../pod-lifecycle/plan.ts';
import { computePodStatus } from '../pod-lifecycle/pod-status.ts';
import { liveContainers, type RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import { findContainer } from '../pod-lifecycle/containers-of.ts';
import { terminationMessage } from '../containers/termination-message.ts';
import { VolumeError } from '../volumes/payload.ts';
import { executePlan, type NotedFailure } from './execute-plan.ts';
import { collectGarbage, removeAll } from './garbage.ts';
import { killPod } from './kill-pod.ts';
import { terminationLogPath } from './mounts.ts';
import { podEvent, type PodContext } from './pod-context.ts';
import { refusedStatus, terminalStatus } from './terminal-status.ts';
import { WakeUp } from './wake-up.ts';

/**
 * syncing: brings the pod to what its spec says. terminating: ends its containers. terminated: nothing runs, what is
 * left waits for the pod's deletion. finished: nothing is left, neither here nor in the API.
 */
export type WorkerState = 'syncing' | 'terminating' | 'terminated' | 'finished';

export interface PodWorkerOptions {
  readonly context: PodContext;
  readonly client: Client;
  readonly pod: Pod;
  /** The kubelet refused the pod: it ends at once, with this reason. */
  readonly refusal?: { readonly reason: string; readonly message: string } | undefined;
  readonly onFinished: () => void;
}

const volumeRetryMsFirst = 500;
const volumeRetryMsMax = 122_000;
const errorRetryMsFirst = 1_000;
const errorRetryMsMax = 30_000;

/** One pod's serial worker: is told that something changed, looks at all there is, and does what is next. */
export class PodWorker {
  readonly #context: PodContext;
  readonly #client: Client;
  readonly #onFinished: () => void;
  readonly #refused: boolean;
  readonly #wake: WakeUp;
  readonly #startFailures = new Map<string, NotedFailure>();
  readonly #messages = new Map<string, string>();
  #pod: Pod;
  #state: WorkerState = 'syncing';
  #failure: { readonly reason: string; readonly message: string } | undefined;
  /** Deleted from the API without the kubelet: there is no status to write any more. */
  #gone = false;
  #syncing = new AbortController();
  #volumeFailures = 0;
  #errors = 0;
  readonly #running: Promise<void>;

  constructor({ context, client, pod, refusal, onFinished }: PodWorkerOptions) {
    this.#context = context;
    this.#client = client;
    this.#pod = pod;
    this.#failure = refusal;
    this.#refused = refusal !== undefined;
    this.#onFinished = onFinished;
    this.#wake = new WakeUp(context.clock);
    const phase = pod.status.phase;
    if (refusal || pod.metadata.deletionTimestamp || phase === 'Failed' || phase === 'Succeeded') {
      this.#state = 'terminating';
    }
    this.#wake.now();
    this.#running = this.#run();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** The pod's object changed. */
  update(pod: Pod): void {
    const graceBefore = this.#pod.metadata.deletionGracePeriodSeconds;
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp) {
      const grace = Number(pod.metadata.deletionGracePeriodSeconds ?? 0);
      if (this.#state === 'syncing') this.#terminate();
      else if (this.#state === 'terminating' && graceBefore !== undefined && grace < graceBefore) this.#hurry(grace);
    }
    this.#wake.now();
  }

  /** The pod's object is gone. */
  removed(): void {
    this.#gone = true;
    if (this.#state === 'syncing') this.#terminate();
    this.#wake.now();
  }

  /** Something of the pod may have changed: containers, probes, volumes' objects. */
  notify(): void {
    this.#wake.now();
  }

  /** Ends the work, not the pod: its containers go on. */
  async stop(): Promise<void> {
    this.#wake.stop();
    this.#syncing.abort(new Error('the kubelet stops'));
    this.#context.objects.abandon(this.#pod.metadata.uid);
    await this.#running;
  }

  #terminate(): void {
    this.#state = 'terminating';
    this.#syncing.abort(new Error('the pod is being deleted'));
    this.#context.objects.abandon(this.#pod.metadata.uid);
  }

  /** The grace period became shorter: says so to what is ending already. */
  #hurry(graceSeconds: number): void {
    const { cri } = this.#context;
    void readRuntimePod(cri, this.#pod.metadata.uid)
      .then((runtime) =>
        Promise.all(
          liveContainers(runtime).map(({ id }) => cri.stopContainer({ containerId: id, timeout: graceSeconds })),
        ),
      )
      .catch((error: unknown) => this.#context.log.debug('pod was not hurried', { error: String(error) }));
  }

  async #run(): Promise<void> {
    while (this.#state !== 'finished' && (await this.#wake.next())) {
      try {
        await this.#step();
        this.#errors = 0;
      } catch (error) {
        if (this.#syncing.signal.aborted) {
          // Broken off on purpose: whatever is next must not look broken off as well.
          this.#syncing = new AbortController();
          this.#wake.now();
          continue;
        }
        const { name, namespace } = this.#pod.metadata;
        this.#context.log.warn('pod not synced', { pod: `${namespace}/${name}`, error: String(error) });
        this.#wake.in(Math.min(errorRetryMsFirst * 2 ** this.#errors++, errorRetryMsMax));
      }
    }
    if (this.#state === 'finished') this.#onFinished();
  }

  async #step(): Promise<void> {
    if (this.#state === 'terminating') await this.#end();
    if (this.#state === 'terminated') await this.#finish();
    if (this.#state === 'syncing') await this.#sync();
  }

  async #sync(): Promise<void> {
    const pod = this.#pod;
    const runtime = await this.#look();
    const status = this.#publish(runtime);
    if (status.phase === 'Failed' || status.phase === 'Succeeded' || this.#overDeadline(status)) {
      this.#terminate();
      this.#wake.now();
      return;
    }
    const context = this.#context;
    const podIps = pod.spec.hostNetwork ? context.hostIps : runtime.ips;
    const { signal } = this.#syncing;
    const volumes = await this.#volumes(pod, podIps);
    if (!volumes) return;
    const plan = planPod(pod, runtime, context.probes);
    const startFailures = this.#startFailures;
    const result = await executePlan(context, pod, runtime, plan, { volumes, startFailures, signal });
    if (result.retryInMs !== undefined) this.#wake.in(result.retryInMs);
    this.#publish(await this.#look());
    if (result.changed) this.#wake.now();
    else await collectGarbage(context, runtime);
    const renewAtMs = context.tokens.renewAtMs(pod.metadata.uid);
    if (renewAtMs !== undefined) this.#wake.in(Math.max(1_000, renewAtMs - context.clock.now()));
  }

  /** The pod's volumes, or undefined with an event and a time to try again. */
  async #volumes(pod: Pod, podIps: readonly string[]) {
    const { volumes, objects, tokens, hostIps } = this.#context;
    try {
      const { signal } = this.#syncing;
      const sources = { objects, tokens, podIps, hostIps, signal, allocatable: this.#context.allocatable() };
      const mounted = await volumes.setUp(pod, sources);
      this.#volumeFailures = 0;
      return mounted;
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      podEvent(this.#context, pod, 'Warning', 'FailedMount', error.message);
      this.#wake.in(Math.min(volumeRetryMsFirst * 2 ** this.#volumeFailures++, volumeRetryMsMax));
      return undefined;
    }
  }

  /** The runtime's state, with containers' last words; probes follow it. */
  async #look(): Promise<RuntimePod> {
    const pod = this.#pod;
    const runtime = await readRuntimePod(this.#context.cri, pod.metadata.uid);
    const podIp = (pod.spec.hostNetwork ? this.#context.hostIps : runtime.ips)[0] ?? '';
    this.#context.probes.sync(pod, runtime, podIp, this.#state !== 'syncing');
    const present = new Set(runtime.containers.map(({ id }) => id));
    for (const id of this.#messages.keys()) if (!present.has(id)) this.#messages.delete(id);
    const containers = await Promise.all(
      runtime.containers.map(async (container) => {
        if (container.state !== 'exited') return container;
        const policy = findContainer(pod, container.name)?.container.terminationMessagePolicy;
        const path = terminationLogPath(this.#context.rootDir, pod.metadata.uid, container.name, container.attempt);
        const message = this.#messages.get(container.id) ?? (await terminationMessage(container, path, policy));
        this.#messages.set(container.id, message);
        return { ...container, message };
      }),
    );
    return { ...runtime, containers };
  }

  /** Computes the status and hands it to the writer. */
  #publish(runtime: RuntimePod, ending = false): PodStatus {
    const { statuses, probes, hostIps, runtimeName, clock } = this.#context;
    const pod = this.#pod;
    const computed = computePodStatus({
      pod,
      previous: statuses.get(pod.metadata.uid) ?? pod.status,
      runtime,
      startFailures: this.#startFailures,
      probes,
      hostIps,
      runtimeName,
      nowMs: clock.now(),
      ending,
      failure: this.#failure,
    });
    const status = this.#refused ? refusedStatus(pod, computed) : ending ? terminalStatus(computed) : computed;
    if (!this.#gone) statuses.set(pod, status);
    return status;
  }

  #overDeadline(status: PodStatus): boolean {
    const { activeDeadlineSeconds } = this.#pod.spec;
    if (activeDeadlineSeconds === undefined || !status.startTime) return false;
    const leftMs = Date.parse(status.startTime) + activeDeadlineSeconds * 1000 - this.#context.clock.now();
    if (leftMs > 0) {
      this.#wake.in(leftMs);
      return false;
    }
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#failure = { reason: 'DeadlineExceeded', message };
    podEvent(this.#context, this.#pod, 'Normal', 'DeadlineExceeded', message);
    return true;
  }

  /** Ends all containers and sandboxes; the last status says how each of them ended. */
  async #end(): Promise<void> {
    const runtime = await this.#look();
    if (liveContainers(runtime).length > 0) this.#publish(runtime);
    await killPod(this.#context, this.#pod, runtime);
    const after = await this.#look();
    if (liveContainers(after).length > 0) throw new Error('containers are still running');
    this.#publish(after, true);
    const { volumes, objects, tokens, cgroups, probes, images, crashBackoff } = this.#context;
    const { uid } = this.#pod.metadata;
    probes.forget(uid);
    objects.release(uid);
    tokens.forget(uid);
    images.forget(uid);
    crashBackoff.forget(`${uid}/`);
    await volumes.tearDown(uid);
    if (cgroups) await cgroups.removePod(cgroups.path(this.#pod));
    this.#state = 'terminated';
  }

  /** Once the pod is to be deleted: the final DELETE, then all that the runtime and the disk still have. */
  async #finish(): Promise<void> {
    const { metadata } = this.#pod;
    if (!this.#gone) {
      if (!metadata.deletionTimestamp) return;
      await this.#context.statuses.flush(metadata.uid);
      await this.#delete();
    }
    const runtime = await readRuntimePod(this.#context.cri, metadata.uid);
    await removeAll(this.#context, runtime);
    await rm(podLogsDir(this.#context.node.logsDir, this.#pod), { recursive: true, force: true });
    await this.#context.volumes.tearDown(metadata.uid);
    const { cgroups } = this.#context;
    if (cgroups) await cgroups.removePod(cgroups.path(this.#pod));
    this.#context.statuses.forget(metadata.uid);
    this.#state = 'finished';
  }

  async #delete(): Promise<void> {
    const { name, namespace, uid } = this.#pod.metadata;
    try {
      await this.#client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod of that name: in both cases this one is no more.
      if (!isReason(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}
