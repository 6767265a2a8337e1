import type { Container, Pod } from '@kubernode/api/core/v1';
import { isSidecar } from './containers-of.ts';
import { containerHash } from './hash.ts';
import { killUnknown, type ContainerKill, type ProbeVerdicts } from './kill.ts';
import { restartsAfterExit } from './restart-policy.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from './runtime-pod.ts';

export interface InitPlan {
  /** An init container failed for good: the pod ends. */
  readonly killPod: boolean;
  /** Regular containers may run. */
  readonly initialized: boolean;
  readonly kills: readonly ContainerKill[];
  /** In the order of the spec. */
  readonly start: readonly number[];
}

/** What one init container says about the rest. */
type Verdict =
  /** Nothing to do but wait. */
  | { readonly type: 'wait' }
  /** It is done (or, a sidecar, has started): the next one may run. `restart`: nevertheless make it anew. */
  | { readonly type: 'passed'; readonly kill?: ContainerKill; readonly restart?: boolean }
  | { readonly type: 'start'; readonly kill?: ContainerKill }
  | { readonly type: 'failed' };

/**
 * Walks from the last init container to the first: the last one that the runtime knows says how far the pod got, since
 * earlier ones may have been cleaned up. Before it, only sidecars are kept running.
 */
export function planInitContainers(pod: Pod, runtime: RuntimePod, probes: ProbeVerdicts): InitPlan {
  const containers = pod.spec.initContainers ?? [];
  if (containers.length === 0) return { killPod: false, initialized: true, kills: [], start: [] };
  let initialized = anyRegularCreated(pod, runtime);
  let laterSeen = initialized;
  const kills: ContainerKill[] = [];
  const start = new Set<number>();
  for (let index = containers.length - 1; index >= 0; index--) {
    const container = containers[index] as Container;
    const latest = latestContainer(runtime, container.name);
    if (!latest) {
      if (laterSeen && isSidecar(container)) start.add(index);
      continue;
    }
    if (laterSeen && !isSidecar(container)) continue;
    const verdict = isSidecar(container)
      ? sidecarVerdict(container, latest, probes)
      : initVerdict(container, latest, pod);
    if (verdict.type === 'failed') return { killPod: true, initialized: false, kills: [], start: [] };
    if (verdict.type === 'start') start.add(index);
    if (verdict.type === 'passed') {
      if (verdict.restart) start.add(index);
      if (index === containers.length - 1) initialized = true;
      else if (!laterSeen) start.add(index + 1);
    }
    if ('kill' in verdict && verdict.kill) kills.push(verdict.kill);
    laterSeen = true;
  }
  if (!laterSeen) start.add(0);
  return { killPod: false, initialized, kills, start: [...start].sort((a, b) => a - b) };
}

/** Containers of an earlier sandbox are exited and do not count. */
function anyRegularCreated(pod: Pod, runtime: RuntimePod): boolean {
  return pod.spec.containers.some(({ name }) => {
    const state = latestContainer(runtime, name)?.state;
    return state === 'created' || state === 'running';
  });
}

function initVerdict(container: Container, latest: RuntimeContainer, pod: Pod): Verdict {
  switch (latest.state) {
    case 'running':
      return { type: 'wait' };
    case 'created':
      // Creation and start are one step: what stays created failed to start.
      return { type: 'start' };
    case 'exited':
      if (latest.exitCode === 0) return { type: 'passed' };
      return restartsAfterExit(container, pod, latest.exitCode) ? { type: 'start' } : { type: 'failed' };
    case 'unknown':
      if (!restartsAfterExit(container, pod, 1)) return { type: 'failed' };
      return { type: 'start', kill: killUnknown('Init container', latest) };
  }
}

function sidecarVerdict(container: Container, latest: RuntimeContainer, probes: ProbeVerdicts): Verdict {
  if (latest.state === 'unknown') return { type: 'start', kill: killUnknown('Init container', latest) };
  if (latest.state !== 'running') return { type: 'start' };
  const kill = (why: string, cause: ContainerKill['cause']): ContainerKill => ({
    containerId: latest.id,
    name: container.name,
    message: `Init container ${container.name} ${why}`,
    cause,
  });
  if (container.startupProbe) {
    const started = probes.startup(latest.id);
    if (started === undefined) return { type: 'wait' };
    if (!started) return { type: 'start', kill: kill('failed startup probe', 'startup') };
  }
  if (latest.hash !== containerHash(container)) {
    return { type: 'passed', restart: true, kill: kill('definition changed', 'other') };
  }
  if (container.livenessProbe && probes.liveness(latest.id) === false) {
    return { type: 'passed', restart: true, kill: kill('failed liveness probe', 'liveness') };
  }
  return { type: 'passed' };
}
