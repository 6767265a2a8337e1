import type { Container, EphemeralContainer, Pod, Secret } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { formatDuration } from '@kubernode/machinery';
import { mkdir } from 'node:fs/promises';
import { podLogsDir, sandboxConfig } from '../containers/sandbox-config.ts';
import { criErrorText } from '../cri/error-text.ts';
import type { StartFailure } from '../pod-lifecycle/container-status.ts';
import { formatPod, isSidecar } from '../pod-lifecycle/containers-of.ts';
import type { PodPlan } from '../pod-lifecycle/plan.ts';
import { latestContainer, liveContainers, type RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import type { MountedVolume } from '../volumes/volume-manager.ts';
import { graceSeconds, killContainer } from './kill-container.ts';
import { killPod } from './kill-pod.ts';
import { containerEvent, podEvent, type PodContext } from './pod-context.ts';
import { startContainer, StartError, type StartInput } from './start-container.ts';

export interface PlanResult {
  /** Something happened that the runtime's state shows. */
  readonly changed: boolean;
  /** When to look again without being told to; undefined: no need. */
  readonly retryInMs: number | undefined;
}

/** A start that failed; after some failures the next try has to wait, whatever happens meanwhile. */
export interface NotedFailure extends StartFailure {
  readonly notBeforeMs?: number;
}

/** Failures that leave something in the runtime, whose events would otherwise bring the next try at once. */
const waitsOut: ReadonlySet<string> = new Set(['CreateContainerError', 'RunContainerError', 'PostStartHookError']);

/** Upstream's wait after a sync that failed. */
const retryMs = 10_000;

/** Does what a plan says, in order; failures to start containers are noted in `startFailures`, not thrown. */
export async function executePlan(
  context: PodContext,
  pod: Pod,
  runtime: RuntimePod,
  plan: PodPlan,
  input: {
    readonly volumes: ReadonlyMap<string, MountedVolume>;
    readonly startFailures: Map<string, NotedFailure>;
    readonly signal: AbortSignal;
  },
): Promise<PlanResult> {
  const steps = new PlanSteps(context, pod, runtime, input.startFailures, input.signal);
  if (plan.createSandbox && plan.sandboxId) {
    podEvent(context, pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
  }
  if (plan.killPod) await steps.killAll();
  else for (const kill of plan.kills) await steps.kill(kill);
  const needsSandbox = plan.startEphemeral.length + plan.startInit.length + plan.start.length > 0;
  if (!needsSandbox && !plan.createSandbox) return steps.result();
  const config = sandboxConfig(pod, plan.attempt, context.node);
  const sandbox = plan.createSandbox
    ? await steps.createSandbox(config)
    : { id: plan.sandboxId ?? '', ips: runtime.ips };
  if (!sandbox) return steps.result();
  const start: StartInput = {
    pod,
    runtime,
    sandboxId: sandbox.id,
    sandboxConfig: config,
    volumes: input.volumes,
    pullSecrets: await pullSecrets(context, pod),
    podIps: pod.spec.hostNetwork ? context.hostIps : sandbox.ips,
    signal: input.signal,
  };
  for (const index of plan.startEphemeral) await steps.start(start, pod.spec.ephemeralContainers?.[index]);
  for (const index of plan.startInit) {
    const container = pod.spec.initContainers?.[index];
    if (!(await steps.start(start, container)) && container && !isSidecar(container)) return steps.result();
  }
  for (const index of plan.start) await steps.start(start, pod.spec.containers[index]);
  return steps.result();
}

/** The steps of one sync; remembers whether anything changed and when to come again. */
class PlanSteps {
  readonly #context: PodContext;
  readonly #pod: Pod;
  readonly #runtime: RuntimePod;
  readonly #startFailures: Map<string, NotedFailure>;
  readonly #signal: AbortSignal;
  #changed = false;
  #retryInMs: number | undefined;

  constructor(
    context: PodContext,
    pod: Pod,
    runtime: RuntimePod,
    startFailures: Map<string, NotedFailure>,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#pod = pod;
    this.#runtime = runtime;
    this.#startFailures = startFailures;
    this.#signal = signal;
  }

  result(): PlanResult {
    return { changed: this.#changed, retryInMs: this.#retryInMs };
  }

  async killAll(): Promise<void> {
    const anyAlive = this.#runtime.sandboxes.some(({ ready }) => ready) || liveContainers(this.#runtime).length > 0;
    if (anyAlive) this.#changed = true;
    await killPod(this.#context, this.#pod, this.#runtime);
  }

  async kill({ containerId, name, message, cause }: PodPlan['kills'][number]): Promise<void> {
    const running = this.#runtime.containers.find(({ id }) => id === containerId);
    if (!running) return;
    this.#changed = true;
    await killContainer(this.#context, this.#pod, running, {
      graceSeconds: graceSeconds(this.#pod, name, cause),
      message,
      podIp: this.#runtime.ips[0] ?? '',
    });
  }

  async createSandbox(
    config: CriInit<'PodSandboxConfig'>,
  ): Promise<{ readonly id: string; readonly ips: readonly string[] } | undefined> {
    const { cri, node, cgroups } = this.#context;
    try {
      await mkdir(podLogsDir(node.logsDir, this.#pod), { recursive: true, mode: 0o755 });
      await cgroups?.ensurePod(this.#pod);
      this.#signal.throwIfAborted();
      const { podSandboxId } = await cri.runPodSandbox({ config, runtimeHandler: '' });
      const { status } = await cri.podSandboxStatus({ podSandboxId });
      const network = status?.network;
      this.#changed = true;
      return { id: podSandboxId, ips: network?.ip ? [network.ip, ...network.additionalIps.map(({ ip }) => ip)] : [] };
    } catch (error) {
      this.#signal.throwIfAborted();
      const message = `Failed to create pod sandbox: ${criErrorText(error)}`;
      podEvent(this.#context, this.#pod, 'Warning', 'FailedCreatePodSandBox', message);
      this.#retryIn(retryMs);
      return undefined;
    }
  }

  /** Whether the container has started. */
  async start(input: StartInput, container: Container | EphemeralContainer | undefined): Promise<boolean> {
    if (!container || this.#waits(container) || this.#backsOff(container)) return false;
    try {
      await startContainer(this.#context, input, container);
      this.#startFailures.delete(container.name);
      this.#changed = true;
      return true;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof StartError)) throw error;
      const { reason, message, retryInMs } = error;
      const wait = waitsOut.has(reason) ? { notBeforeMs: this.#context.clock.now() + retryInMs } : {};
      this.#startFailures.set(container.name, { reason, message, ...wait });
      this.#retryIn(retryInMs);
      return false;
    }
  }

  #waits({ name }: Container | EphemeralContainer): boolean {
    const leftMs = (this.#startFailures.get(name)?.notBeforeMs ?? 0) - this.#context.clock.now();
    // What has ended has its own back-off.
    if (leftMs <= 0 || latestContainer(this.#runtime, name)?.state === 'exited') return false;
    this.#retryIn(leftMs);
    return true;
  }

  /** A container that ended waits before it is started again, longer each time. */
  #backsOff(container: Container | EphemeralContainer): boolean {
    const { crashBackoff, clock } = this.#context;
    const latest = latestContainer(this.#runtime, container.name);
    if (latest?.state !== 'exited') return false;
    const key = `${this.#pod.metadata.uid}/${container.name}`;
    const endedMs = latest.finishedAtMs || latest.createdAtMs;
    const waitMs = crashBackoff.remainingMs(key, endedMs, clock.now());
    if (waitMs === 0) {
      crashBackoff.next(key, endedMs, clock.now());
      return false;
    }
    const where = `${container.name} in pod ${formatPod(this.#pod)}`;
    if (this.#startFailures.get(container.name)?.reason !== 'CrashLoopBackOff') {
      containerEvent(
        this.#context,
        this.#pod,
        container,
        'Warning',
        'BackOff',
        `Back-off restarting failed container ${where}`,
      );
    }
    const delay = formatDuration(crashBackoff.delayMs(key));
    const message = `back-off ${delay} restarting failed container=${container.name} pod=${formatPod(this.#pod)}`;
    this.#startFailures.set(container.name, { reason: 'CrashLoopBackOff', message });
    this.#retryIn(waitMs);
    return true;
  }

  #retryIn(delayMs: number): void {
    this.#retryInMs = Math.min(this.#retryInMs ?? Number.POSITIVE_INFINITY, delayMs);
  }
}

async function pullSecrets({ objects, log }: PodContext, pod: Pod): Promise<readonly Secret[]> {
  const { namespace = '', uid, name: podName } = pod.metadata;
  const secrets: Secret[] = [];
  for (const { name = '' } of pod.spec.imagePullSecrets ?? []) {
    const secret = name ? await objects.secret(namespace, name, uid) : undefined;
    if (secret) secrets.push(secret);
    else log.info('image pull secret is not there', { pod: podName, secret: name });
  }
  return secrets;
}
