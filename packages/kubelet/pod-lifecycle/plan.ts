import type { Pod } from '@kubernode/api/core/v1';
import { containerHash } from './hash.ts';
import { killUnknown, type ContainerKill, type ProbeVerdicts } from './kill.ts';
import { planInitContainers } from './plan-init.ts';
import { restartsOnFailure, shouldBeStarted } from './restart-policy.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from './runtime-pod.ts';

/** The next steps for one pod, in this order. Indexes are into the lists of the pod's spec. */
export interface PodPlan {
  /** End every container and the sandbox first. */
  readonly killPod: boolean;
  readonly kills: readonly ContainerKill[];
  readonly createSandbox: boolean;
  /** The attempt of the sandbox to create, or of the one there is. */
  readonly attempt: number;
  readonly sandboxId: string | undefined;
  readonly startEphemeral: readonly number[];
  readonly startInit: readonly number[];
  readonly start: readonly number[];
}

/** Whether the pod needs a new sandbox, and what is there now (upstream: PodSandboxChanged). */
export function sandboxNeeded(
  pod: Pod,
  runtime: RuntimePod,
): { readonly needed: boolean; readonly attempt: number; readonly sandboxId: string | undefined } {
  const newest = runtime.sandboxes[0];
  if (!newest) return { needed: true, attempt: 0, sandboxId: undefined };
  const readyCount = runtime.sandboxes.filter(({ ready }) => ready).length;
  const next = { needed: true, attempt: newest.attempt + 1, sandboxId: newest.id };
  if (readyCount > 1 || !newest.ready) return next;
  if (newest.hostNetwork !== (pod.spec.hostNetwork ?? false)) return { ...next, sandboxId: '' };
  if (!newest.hostNetwork && newest.ips.length === 0) return next;
  return { needed: false, attempt: newest.attempt, sandboxId: newest.id };
}

/** Decides the next steps from the spec, the runtime's state and the probes' verdicts. Pure. */
export function planPod(pod: Pod, runtime: RuntimePod, probes: ProbeVerdicts): PodPlan {
  const sandbox = sandboxNeeded(pod, runtime);
  if (sandbox.needed) return planNewSandbox(pod, runtime, sandbox);
  const base: PodPlan = {
    killPod: false,
    kills: [],
    createSandbox: false,
    attempt: sandbox.attempt,
    sandboxId: sandbox.sandboxId,
    startEphemeral: ephemeralToStart(pod, runtime),
    startInit: [],
    start: [],
  };
  const init = planInitContainers(pod, runtime, probes);
  if (init.killPod) return { ...base, killPod: true };
  if (!init.initialized) return { ...base, kills: init.kills, startInit: init.start };
  const regular = planRegularContainers(pod, runtime, probes);
  if (regular.kept === 0 && regular.start.length === 0) return { ...base, killPod: true };
  return {
    ...base,
    kills: [...init.kills, ...regular.kills],
    startInit: init.start,
    start: regular.start,
  };
}

/** With a new sandbox all begins anew, unless everything has ended for good. */
function planNewSandbox(pod: Pod, runtime: RuntimePod, sandbox: ReturnType<typeof sandboxNeeded>): PodPlan {
  const none = { kills: [], startEphemeral: [], startInit: [], start: [] };
  const base = { killPod: true, attempt: sandbox.attempt, sandboxId: sandbox.sandboxId, ...none };
  if (!restartsOnFailure(pod) && sandbox.attempt !== 0 && runtime.containers.length > 0) {
    return { ...base, createSandbox: false };
  }
  const start = pod.spec.containers.flatMap((container, index) => {
    const latest = latestContainer(runtime, container.name);
    const succeeded = latest?.state === 'exited' && latest.exitCode === 0;
    return pod.spec.restartPolicy === 'OnFailure' && succeeded ? [] : [index];
  });
  if (start.length === 0 && pod.spec.containers.some(({ name }) => latestContainer(runtime, name))) {
    return { ...base, createSandbox: false };
  }
  if (pod.spec.initContainers?.length) return { ...base, createSandbox: true, startInit: [0] };
  return { ...base, createSandbox: true, start };
}

/** Ephemeral containers start once, whatever the others do. */
function ephemeralToStart(pod: Pod, runtime: RuntimePod): readonly number[] {
  return (pod.spec.ephemeralContainers ?? []).flatMap(({ name }, index) =>
    latestContainer(runtime, name) ? [] : [index],
  );
}

interface RegularPlan {
  readonly kills: ContainerKill[];
  readonly start: number[];
  kept: number;
}

function planRegularContainers(pod: Pod, runtime: RuntimePod, probes: ProbeVerdicts): RegularPlan {
  const plan: RegularPlan = { kills: [], start: [], kept: 0 };
  pod.spec.containers.forEach((container, index) => {
    const latest = latestContainer(runtime, container.name);
    if (!latest || latest.state !== 'running') {
      if (!shouldBeStarted(container, pod, runtime)) return;
      plan.start.push(index);
      if (latest?.state === 'unknown') plan.kills.push(killUnknown('Container', latest));
      return;
    }
    const fault = faultOf(container.name, latest, containerHash(container), probes);
    if (!fault) {
      plan.kept++;
      return;
    }
    const restart = fault.definitionChanged || restartsOnFailure(pod);
    if (restart) plan.start.push(index);
    const message = restart ? `${fault.message}, will be restarted` : fault.message;
    plan.kills.push({ containerId: latest.id, name: container.name, message, cause: fault.cause });
  });
  return plan;
}

/** Why a running container must go, if it must. */
function faultOf(name: string, running: RuntimeContainer, hash: string, probes: ProbeVerdicts) {
  if (running.hash !== hash) {
    return { message: `Container ${name} definition changed`, cause: 'other', definitionChanged: true } as const;
  }
  if (probes.liveness(running.id) === false) {
    return { message: `Container ${name} failed liveness probe`, cause: 'liveness', definitionChanged: false } as const;
  }
  if (probes.startup(running.id) === false) {
    return { message: `Container ${name} failed startup probe`, cause: 'startup', definitionChanged: false } as const;
  }
  return undefined;
}
