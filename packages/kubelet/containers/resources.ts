import type { Quantity } from '@kubernode/api';
import type { Container, EphemeralContainer, Pod, ResourceRequirements } from '@kubernode/api/core/v1';
import type { CriInit } from '@kubernode/api/cri';
import { quantityMilli, quantityValue } from '@kubernode/machinery';
import { isSidecar } from '../pod-lifecycle/containers-of.ts';
import { podQosClass } from '../pod-lifecycle/qos.ts';

const cpuPeriodUs = 100_000;
const cpuQuotaUsMin = 1_000;
const cpuSharesMin = 2;
const cpuSharesMax = 262_144;

/** cgroup v1's cpu.shares for a request: 1024 a core. */
export function cpuShares(milliCpu: number): number {
  if (milliCpu === 0) return cpuSharesMin;
  return Math.min(Math.max(Math.floor((milliCpu * 1024) / 1000), cpuSharesMin), cpuSharesMax);
}

/** Microseconds of CPU in each period of 100 ms; 0: no limit. */
export function cpuQuotaUs(milliCpu: number): number {
  return milliCpu === 0 ? 0 : Math.max(Math.floor((milliCpu * cpuPeriodUs) / 1000), cpuQuotaUsMin);
}

/** What of the node matters to one container's resources. */
interface NodeResources {
  readonly memoryCapacityBytes: number;
  /** Whether all processes of a container end where one is out of memory: as upstream, with cgroup v2. */
  readonly groupOomKill: boolean;
}

/** What the runtime sets for one container (upstream: generateLinuxContainerResources). */
export function containerResources(
  pod: Pod,
  container: Container | EphemeralContainer,
  { memoryCapacityBytes, groupOomKill }: NodeResources,
): CriInit<'LinuxContainerResources'> {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const limit = milli(limits['cpu']);
  const request = requests['cpu'] === undefined ? limit : milli(requests['cpu']);
  const memory = bytes(limits['memory']);
  return {
    cpuShares: cpuShares(request),
    cpuPeriod: cpuPeriodUs,
    cpuQuota: cpuQuotaUs(limit),
    ...(memory > 0 ? { memoryLimitInBytes: memory, memorySwapLimitInBytes: memory } : {}),
    oomScoreAdj: oomScoreAdj(pod, container, memoryCapacityBytes),
    ...(groupOomKill ? { unified: { 'memory.oom.group': '1' } } : {}),
  };
}

/** Who is killed first when the node is out of memory: 1000 first, -997 (nearly) never (upstream: qos.GetContainerOOMScoreAdjust). */
function oomScoreAdj(pod: Pod, container: Container | EphemeralContainer, memoryCapacityBytes: number): number {
  if ((pod.spec.priority ?? 0) >= 2_000_000_000) return -997;
  const qos = podQosClass(pod);
  if (qos === 'Guaranteed') return -997;
  if (qos === 'BestEffort') return 1000;
  const request = bytes(container.resources?.requests?.['memory']);
  const score = 1000 - Math.floor((1000 * request) / Math.max(1, memoryCapacityBytes));
  return Math.min(Math.max(score, 3), 999);
}

export interface PodResources {
  readonly cpuRequestMilli: number;
  readonly cpuLimitMilli: number;
  readonly memoryRequestBytes: number;
  readonly memoryLimitBytes: number;
  /** Every container has the limit, so that the pod as a whole can have it. */
  readonly cpuLimited: boolean;
  readonly memoryLimited: boolean;
}

/**
 * What a pod needs as a whole: the sum of its containers and sidecars, or what its init phase needs if that is more,
 * plus overhead; pod-level resources replace the sum where they are set (KEP 2837).
 */
export function podResources(pod: Pod): PodResources {
  const whole = pod.spec.resources ?? {};
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const amount = (list: 'requests' | 'limits', name: string, read: (quantity: Quantity | undefined) => number) =>
    (whole[list]?.[name] === undefined
      ? peak(pod, (resources) => read(resources[list]?.[name]))
      : read(whole[list][name])) + read(pod.spec.overhead?.[name]);
  const limited = (name: string) =>
    whole.limits?.[name] !== undefined || containers.every(({ resources }) => resources?.limits?.[name] !== undefined);
  return {
    cpuRequestMilli: amount('requests', 'cpu', milli),
    cpuLimitMilli: amount('limits', 'cpu', milli),
    memoryRequestBytes: amount('requests', 'memory', bytes),
    memoryLimitBytes: amount('limits', 'memory', bytes),
    cpuLimited: limited('cpu'),
    memoryLimited: limited('memory'),
  };
}

/** The most that is needed at one time: sidecars stay, plain init containers come one after the other. */
function peak(pod: Pod, read: (resources: ResourceRequirements) => number): number {
  let sidecars = 0;
  let initPeak = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const own = read(container.resources ?? {});
    if (isSidecar(container)) sidecars += own;
    initPeak = Math.max(initPeak, isSidecar(container) ? sidecars : sidecars + own);
  }
  const running = pod.spec.containers.reduce((sum, { resources }) => sum + read(resources ?? {}), sidecars);
  return Math.max(running, initPeak);
}

const milli = (quantity: Quantity | undefined) => (quantity === undefined ? 0 : quantityMilli(quantity));
const bytes = (quantity: Quantity | undefined) => (quantity === undefined ? 0 : quantityValue(quantity));
