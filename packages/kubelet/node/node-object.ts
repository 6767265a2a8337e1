import type { ContainerImage, Node, NodeAddress, NodeCondition, NodeStatus, Taint } from '@kubernode/api/core/v1';
import type { Image } from '@kubernode/api/cri';
import { formatTime, quantityOf } from '@kubernode/machinery';
import type { Machine } from './machine.ts';

/** Upstream's version, and who it is. */
export const kubeletVersion = 'v1.37.1+kubernode';

const imagesMax = 50;
const namesPerImageMax = 5;

export interface NodeFacts {
  readonly nodeName: string;
  readonly machine: Machine;
  readonly nodeIps: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly port: number;
  /** Of the file system that holds pods' volumes and logs. */
  readonly diskBytes: number;
  readonly runtimeVersion: string;
  readonly runtimeHandlers: NodeStatus['runtimeHandlers'];
  readonly supplementalGroupsPolicy: boolean;
  readonly systemReserved: { readonly cpuMilli: number; readonly memoryBytes: number };
}

/** What is true of the node right now. */
export interface NodeHealth {
  readonly images: readonly Image[];
  /** Why the runtime (or its network) cannot run pods; empty: it can. */
  readonly problems: readonly string[];
}

/** The labels that every kubelet puts on its node. */
export function nodeLabels({ nodeName, machine, nodeLabels: own }: NodeFacts): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': machine.architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': machine.architecture,
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': 'linux',
    ...own,
  };
}

/** The node's status; heartbeats and transition times go on from the previous one. Pure. */
export function nodeStatus(facts: NodeFacts, health: NodeHealth, previous: NodeStatus | undefined, nowMs: number) {
  const { machine, systemReserved: reserved } = facts;
  const resources = (cpuMilli: number, memoryBytes: number, diskBytes: number) => ({
    cpu: cpuMilli % 1000 === 0 ? String(cpuMilli / 1000) : `${cpuMilli}m`,
    'ephemeral-storage': quantityOf(diskBytes, 'BinarySI'),
    memory: `${Math.floor(memoryBytes / 1024)}Ki`,
    pods: String(facts.maxPods),
  });
  const allocatableMemory = Math.max(0, machine.memoryBytes - reserved.memoryBytes);
  const status: NodeStatus = {
    capacity: resources(machine.cores * 1000, machine.memoryBytes, facts.diskBytes),
    allocatable: resources(
      machine.cores * 1000 - reserved.cpuMilli,
      allocatableMemory,
      Math.floor(facts.diskBytes * 0.9),
    ),
    conditions: conditions(facts, health, previous, formatTime(nowMs)),
    addresses: addresses(facts),
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port } },
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: facts.runtimeVersion,
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: machine.architecture,
      ...(machine.swapBytes > 0 ? { swap: { capacity: machine.swapBytes } } : {}),
    },
    images: imageList(health.images),
    ...(facts.runtimeHandlers?.length ? { runtimeHandlers: facts.runtimeHandlers } : {}),
    features: { supplementalGroupsPolicy: facts.supplementalGroupsPolicy },
  };
  return status;
}

/** The whole object, for the first registration. */
export function newNode(
  facts: NodeFacts,
  health: NodeHealth,
  nowMs: number,
): Pick<Node, 'spec' | 'status'> & {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
} {
  return {
    metadata: { name: facts.nodeName, labels: nodeLabels(facts) },
    spec: facts.taints.length > 0 ? { taints: [...facts.taints] } : {},
    status: nodeStatus(facts, health, undefined, nowMs),
  };
}

function addresses({ nodeIps, nodeName }: NodeFacts): NodeAddress[] {
  return [
    ...nodeIps.map((address): NodeAddress => ({ type: 'InternalIP', address })),
    { type: 'Hostname', address: nodeName },
  ];
}

type ConditionInit = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>;

function conditions(
  _facts: NodeFacts,
  { problems }: NodeHealth,
  previous: NodeStatus | undefined,
  now: string,
): NodeCondition[] {
  const ready: ConditionInit =
    problems.length === 0
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: problems.join(', ') };
  const own: ConditionInit[] = [
    good('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    good('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    good('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    ready,
  ];
  const foreign = (previous?.conditions ?? []).filter(({ type }) => !own.some((condition) => condition.type === type));
  return [
    ...foreign,
    ...own.map((condition) => {
      const old = previous?.conditions?.find(({ type }) => type === condition.type);
      const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
      return { ...condition, lastHeartbeatTime: now, lastTransitionTime: since ?? now };
    }),
  ];
}

const good = (type: string, reason: string, message: string) => ({ type, status: 'False', reason, message });

/** The largest images first, as the scheduler's ImageLocality wants them. */
function imageList(images: readonly Image[]): ContainerImage[] {
  return [...images]
    .sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1))
    .slice(0, imagesMax)
    .map(({ repoDigests, repoTags, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, namesPerImageMax),
      sizeBytes: size,
    }));
}
