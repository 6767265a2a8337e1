import type { Container, EphemeralContainer, Pod } from '@kubernode/api/core/v1';
import { CriError } from '@kubernode/api/cri';
import { annotations } from '../containers/labels.ts';
import { runHook } from '../containers/hooks.ts';
import { findContainer } from '../pod-lifecycle/containers-of.ts';
import type { ContainerKill } from '../pod-lifecycle/kill.ts';
import type { RuntimeContainer } from '../pod-lifecycle/runtime-pod.ts';
import { containerEvent, type PodContext } from './pod-context.ts';

/** A process always gets that long between SIGTERM and SIGKILL, unless it is killed on the spot. */
const graceSecondsMin = 2;

/** How long a container has to end by itself (upstream: setTerminationGracePeriod). */
export function graceSeconds(pod: Pod, name: string, cause: ContainerKill['cause']): number {
  const whole = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds;
  if (pod.metadata.deletionGracePeriodSeconds !== undefined || whole === undefined)
    return Number(whole ?? graceSecondsMin);
  const container = findContainer(pod, name)?.container;
  const probe =
    cause === 'liveness' ? container?.livenessProbe : cause === 'startup' ? container?.startupProbe : undefined;
  return Number(probe?.terminationGracePeriodSeconds ?? whole);
}

export interface KillOptions {
  readonly graceSeconds: number;
  /** Of the Killing event. */
  readonly message?: string | undefined;
  readonly podIp: string;
  /** Resolves when the container may be told to end: sidecars wait for the others. */
  readonly after?: Promise<void> | undefined;
}

/** Ends one container: preStop hook, SIGTERM, and SIGKILL when its grace is over. Resolves when it has ended. */
export async function killContainer(
  context: PodContext,
  pod: Pod,
  running: RuntimeContainer,
  options: KillOptions,
): Promise<void> {
  const { clock, cri } = context;
  const container = findContainer(pod, running.name)?.container;
  const beganAtMs = clock.now();
  const leftSeconds = () => options.graceSeconds - Math.floor((clock.now() - beganAtMs) / 1000);
  if (options.after) await graceOr(context, options.after, options.graceSeconds);
  if (container) {
    containerEvent(
      context,
      pod,
      container,
      'Normal',
      'Killing',
      options.message ?? `Stopping container ${running.name}`,
    );
    if (container.lifecycle?.preStop && leftSeconds() > 0) {
      await preStop(context, pod, container, running, options.podIp, leftSeconds());
    }
  }
  const timeout = options.graceSeconds === 0 ? 0 : Math.max(leftSeconds(), graceSecondsMin);
  try {
    await cri.stopContainer({ containerId: running.id, timeout });
  } catch (error) {
    if (!(error instanceof CriError && error.code === 'NotFound')) throw error;
  }
}

async function preStop(
  context: PodContext,
  pod: Pod,
  container: Container | EphemeralContainer,
  { id }: RuntimeContainer,
  podIp: string,
  seconds: number,
): Promise<void> {
  const handler = container.lifecycle?.preStop;
  if (!handler) return;
  const over = new AbortController();
  const cancel = context.clock.after(seconds * 1000, () => over.abort(new Error('the grace period is over')));
  try {
    await runHook(context, handler, { container, containerId: id, podIp }, over.signal);
  } catch (error) {
    context.log.info('preStop hook failed', {
      pod: pod.metadata.name,
      container: container.name,
      error: String(error),
    });
    containerEvent(context, pod, container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
  } finally {
    cancel();
  }
}

async function graceOr({ clock }: PodContext, first: Promise<void>, seconds: number): Promise<void> {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => (cancel = clock.after(seconds * 1000, resolve)));
  await Promise.race([first.catch(() => {}), over]);
  cancel();
}

/** The grace that an orphan's pod once asked for. */
export function orphanGraceSeconds(containerAnnotations: Readonly<Record<string, string>>): number {
  const seconds = Number(containerAnnotations[annotations.gracePeriod] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : graceSecondsMin;
}
