import type { Container, Pod, Probe } from '@kubernode/api/core/v1';
import type { Clock, Logger } from '@kubernode/machinery';
import { isSidecar } from '../pod-lifecycle/containers-of.ts';
import type { ProbeVerdicts } from '../pod-lifecycle/kill.ts';
import { latestContainer, type RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import { afterProbe, initialProbeState, nextProbeMs, type ProbeKind, type ProbeState } from './probe-state.ts';
import type { ProbeTarget } from './run-probe.ts';

export interface ProbeManagerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly run: (probe: Probe, target: ProbeTarget) => Promise<ProbeOutcome>;
  /** A verdict turned: the pod is to be looked at again. */
  readonly onVerdict: (podUid: string) => void;
  readonly onUnhealthy: (pod: Pod, container: Container, message: string) => void;
  /** When this kubelet began: probes of containers that ran before are spread over their period. */
  readonly startedAtMs: number;
}

interface Worker {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly startedAtMs: number;
  pod: Pod;
  container: Container;
  target: ProbeTarget;
  state: ProbeState;
  lastProbeMs: number | undefined;
  cancel: (() => void) | undefined;
  stopped: boolean;
}

/** Runs the probes of the containers that run now, each by its own timer; verdicts are kept by container id. */
export class ProbeManager implements ProbeVerdicts {
  readonly #options: ProbeManagerOptions;
  /** Pod uid → `kind/container id` → worker. */
  readonly #pods = new Map<string, Map<string, Worker>>();
  readonly #byContainer = new Map<string, Worker>();

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
  }

  liveness(containerId: string): boolean | undefined {
    return this.#verdict('liveness', containerId);
  }

  readiness(containerId: string): boolean | undefined {
    return this.#verdict('readiness', containerId);
  }

  startup(containerId: string): boolean | undefined {
    return this.#verdict('startup', containerId);
  }

  /** Begins and ends probes so that exactly the pod's running containers are probed. A pod that ends keeps readiness. */
  sync(pod: Pod, runtime: RuntimePod, podIp: string, terminating = false): void {
    const workers = this.#pods.get(pod.metadata.uid) ?? new Map<string, Worker>();
    this.#pods.set(pod.metadata.uid, workers);
    const wanted = new Set<string>();
    const containers = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
    for (const container of containers) {
      const latest = latestContainer(runtime, container.name);
      if (latest?.state !== 'running') continue;
      for (const [kind, probe] of probesOf(container)) {
        if (terminating && kind !== 'readiness') continue;
        const key = `${kind}/${latest.id}`;
        wanted.add(key);
        const target = { container, containerId: latest.id, podIp };
        const known = workers.get(key);
        if (known) Object.assign(known, { pod, container, target });
        else this.#begin(workers, key, { kind, probe, pod, container, target, startedAtMs: latest.startedAtMs });
      }
    }
    for (const [key, worker] of workers) if (!wanted.has(key)) this.#end(workers, key, worker);
  }

  forget(podUid: string): void {
    const workers = this.#pods.get(podUid) ?? new Map<string, Worker>();
    for (const [key, worker] of workers) this.#end(workers, key, worker);
    this.#pods.delete(podUid);
  }

  stop(): void {
    for (const podUid of this.#pods.keys()) this.forget(podUid);
  }

  #verdict(kind: ProbeKind, containerId: string): boolean | undefined {
    return this.#byContainer.get(`${kind}/${containerId}`)?.state.verdict;
  }

  #begin(
    workers: Map<string, Worker>,
    key: string,
    init: Omit<Worker, 'state' | 'lastProbeMs' | 'cancel' | 'stopped'>,
  ): void {
    const { clock, random, startedAtMs } = this.#options;
    const adopted = init.startedAtMs < startedAtMs;
    const state = adopted ? adoptedState(init) : initialProbeState(init.kind);
    const worker: Worker = { ...init, state, lastProbeMs: undefined, cancel: undefined, stopped: false };
    workers.set(key, worker);
    this.#byContainer.set(key, worker);
    // Containers that a new kubelet finds running are not all probed in the same moment.
    const spreadMs = adopted ? random() * (init.probe.periodSeconds ?? 10) * 1000 : 0;
    worker.cancel = clock.after(spreadMs, () => this.#schedule(worker));
  }

  #end(workers: Map<string, Worker>, key: string, worker: Worker): void {
    worker.stopped = true;
    worker.cancel?.();
    workers.delete(key);
    this.#byContainer.delete(key);
  }

  #schedule(worker: Worker): void {
    if (worker.stopped) return;
    const { clock } = this.#options;
    const started = !worker.container.startupProbe || this.startup(worker.target.containerId) === true;
    const { startedAtMs, lastProbeMs } = worker;
    const delayMs = nextProbeMs(worker.state, worker.kind, worker.probe, {
      startedAtMs,
      started,
      lastProbeMs,
      nowMs: clock.now(),
    });
    worker.cancel?.();
    worker.cancel = delayMs === undefined ? undefined : clock.after(delayMs, () => void this.#probe(worker));
  }

  async #probe(worker: Worker): Promise<void> {
    const { clock, log, run, onVerdict, onUnhealthy } = this.#options;
    worker.lastProbeMs = clock.now();
    const name = `${worker.kind.charAt(0).toUpperCase()}${worker.kind.slice(1)}`;
    const { container, target } = worker;
    try {
      const outcome = await run(worker.probe, target);
      if (worker.stopped) return;
      if (!outcome.healthy) onUnhealthy(worker.pod, container, `${name} probe failed: ${outcome.output}`);
      const before = worker.state.verdict;
      worker.state = afterProbe(worker.state, worker.kind, worker.probe, outcome.healthy);
      if (worker.state.verdict !== before) {
        if (worker.kind === 'startup' && worker.state.verdict) this.#wake(target.containerId);
        onVerdict(worker.pod.metadata.uid);
      }
    } catch (error) {
      if (worker.stopped) return;
      const why = error instanceof Error ? error.message : String(error);
      onUnhealthy(worker.pod, container, `${name} probe errored and resulted in unknown state: ${why}`);
      log.debug('probe could not be run', { container: container.name, kind: worker.kind, error: why });
    }
    this.#schedule(worker);
  }

  /** The startup probe succeeded: the others begin. */
  #wake(containerId: string): void {
    for (const kind of ['liveness', 'readiness']) {
      const worker = this.#byContainer.get(`${kind}/${containerId}`);
      if (worker) this.#schedule(worker);
    }
  }
}

/** A container that an earlier kubelet started keeps what the API says of it until a probe says otherwise. */
function adoptedState({ kind, pod, container }: Pick<Worker, 'kind' | 'pod' | 'container'>): ProbeState {
  const statuses = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
  const status = statuses.find(({ name }) => name === container.name);
  const state = initialProbeState(kind);
  if (kind === 'startup' && status?.started) return { ...state, verdict: true };
  return kind === 'readiness' ? { ...state, verdict: status?.ready ?? false } : state;
}

function probesOf(container: Container): readonly [ProbeKind, Probe][] {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const all: [ProbeKind, Probe | undefined][] = [
    ['startup', startupProbe],
    ['liveness', livenessProbe],
    ['readiness', readinessProbe],
  ];
  return all.filter((entry): entry is [ProbeKind, Probe] => entry[1] !== undefined);
}
