import type { Container, Pod, PodStatus } from '@kubernode/api/core/v1';
import { formatTime } from '@kubernode/machinery';
import { anyRegularStarted, podConditions } from './conditions.ts';
import { containerStatuses, type ContainerStatusInput, type StartFailure } from './container-status.ts';
import type { ContainerKind } from './containers-of.ts';
import type { ProbeVerdicts } from './kill.ts';
import { podPhase } from './phase.ts';
import { podQosClass } from './qos.ts';
import type { RuntimePod } from './runtime-pod.ts';

export interface PodStatusInput {
  readonly pod: Pod;
  /** The last status that was computed, or the API's after a restart of the kubelet. */
  readonly previous: PodStatus;
  readonly runtime: RuntimePod;
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeVerdicts;
  readonly hostIps: readonly string[];
  readonly runtimeName: string;
  readonly nowMs: number;
  /** Nothing is restarted any more: the pod is deleted, evicted or over its deadline. */
  readonly ending?: boolean;
  /** The kubelet itself ends the pod: DeadlineExceeded, OutOfcpu. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}

/** The pod's status as the API shows it; a phase that is terminal never changes again. Pure. */
export function computePodStatus(input: PodStatusInput): PodStatus {
  const { pod, previous, runtime, hostIps } = input;
  const init = statusesOf(input, 'init', pod.spec.initContainers ?? [], previous.initContainerStatuses);
  const regular = statusesOf(input, 'regular', pod.spec.containers, previous.containerStatuses);
  const ephemeralSpecs = (pod.spec.ephemeralContainers ?? []) as readonly Container[];
  const ephemeral = statusesOf(input, 'ephemeral', ephemeralSpecs, previous.ephemeralContainerStatuses);
  const all = [...init, ...regular];
  const initialized = anyRegularStarted(pod, regular);
  let phase = podPhase(pod, all, { ending: input.ending ?? false, initialized });
  if (input.failure) phase = 'Failed';
  const settled = [previous.phase, pod.status.phase].find((old) => old === 'Failed' || old === 'Succeeded');
  if (settled) phase = settled;
  const ips = podIps(input);
  const why = input.failure ?? (previous.phase === phase ? previous : {});
  return {
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    phase,
    conditions: podConditions(pod, previous, runtime, all, phase, formatTime(input.nowMs)),
    ...(why.message ? { message: why.message } : {}),
    ...(why.reason ? { reason: why.reason } : {}),
    ...(hostIps[0] ? { hostIP: hostIps[0], hostIPs: hostIps.map((ip) => ({ ip })) } : {}),
    ...(ips[0] ? { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) } : {}),
    startTime: previous.startTime ?? formatTime(input.nowMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    ...(regular.length > 0 ? { containerStatuses: regular } : {}),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    qosClass: previous.qosClass ?? podQosClass(pod),
  };
}

function statusesOf(
  { pod, runtime, startFailures, probes, runtimeName }: PodStatusInput,
  kind: ContainerKind,
  containers: readonly Container[],
  previous: ContainerStatusInput['previous'] = [],
) {
  return containerStatuses({ pod, runtime, containers, kind, previous, startFailures, probes, runtimeName });
}

/**
 * At most one address of each family, the node's own family first; the node's addresses on the host's network. A pod
 * without a sandbox that is ready keeps what it had: an ended pod shows where it was (upstream: PLEG's getPodIPs).
 */
function podIps({ pod, previous, runtime, hostIps }: PodStatusInput): readonly string[] {
  if (pod.spec.hostNetwork) return hostIps.slice(0, 2);
  if (!runtime.sandboxes.some(({ ready }) => ready)) return (previous.podIPs ?? []).map(({ ip }) => ip);
  const isIpv6 = (ip: string) => ip.includes(':');
  const ipv6First = hostIps[0] !== undefined && isIpv6(hostIps[0]);
  const first = runtime.ips.find((ip) => isIpv6(ip) === ipv6First);
  const second = runtime.ips.find((ip) => isIpv6(ip) !== ipv6First);
  return [first, second].filter((ip) => ip !== undefined);
}
