import type { ContainerStats, PodSandboxStats } from '@kubernode/api/cri';
import { formatTime } from '@kubernode/machinery';
import type { Machine } from '../node/machine.ts';
import { labels } from '../containers/labels.ts';

const nanosecondsPerMs = 1_000_000;

export interface StatsInput {
  readonly nodeName: string;
  readonly machine: Machine;
  readonly sandboxes: readonly PodSandboxStats[];
  readonly nodeCpuNanoseconds: number;
  readonly nodeAvailableBytes: number;
  readonly nowMs: number;
}

/** The kubelet's stats/v1alpha1 Summary, as far as the CRI's statistics go. Pure. */
export function statsSummary(input: StatsInput) {
  const time = formatTime(input.nowMs);
  const workingSetBytes = Math.max(0, input.machine.memoryBytes - input.nodeAvailableBytes);
  return {
    node: {
      nodeName: input.nodeName,
      cpu: { time, usageCoreNanoSeconds: input.nodeCpuNanoseconds },
      memory: { time, availableBytes: input.nodeAvailableBytes, workingSetBytes },
    },
    pods: input.sandboxes.map((sandbox) => podStats(sandbox, time)),
  };
}

function podStats({ attributes, linux }: PodSandboxStats, time: string) {
  const { name = '', namespace = '', uid = '' } = attributes?.metadata ?? {};
  const interfaces = linux?.network?.interfaces ?? [];
  const main = linux?.network?.defaultInterface;
  return {
    podRef: { name, namespace, uid },
    startTime: time,
    containers: (linux?.containers ?? []).map((container) => containerStats(container, time)),
    cpu: cpu(linux?.cpu, time),
    memory: memory(linux?.memory, time),
    ...(main
      ? {
          network: {
            time,
            name: main.name,
            rxBytes: main.rxBytes?.value,
            txBytes: main.txBytes?.value,
            interfaces: [main, ...interfaces].map((one) => ({
              name: one.name,
              rxBytes: one.rxBytes?.value,
              txBytes: one.txBytes?.value,
            })),
          },
        }
      : {}),
    ...(linux?.process?.processCount ? { process_stats: { process_count: linux.process.processCount.value } } : {}),
  };
}

function containerStats(stats: ContainerStats, time: string) {
  return {
    name: containerName(stats),
    startTime: time,
    cpu: cpu(stats.cpu, time),
    memory: memory(stats.memory, time),
    ...(stats.writableLayer
      ? {
          rootfs: {
            time,
            usedBytes: stats.writableLayer.usedBytes?.value,
            inodesUsed: stats.writableLayer.inodesUsed?.value,
          },
        }
      : {}),
  };
}

export const containerName = ({ attributes }: ContainerStats) =>
  attributes?.labels[labels.containerName] ?? attributes?.metadata?.name ?? '';

const timeOf = (timestamp: number | undefined, fallback: string) =>
  timestamp ? formatTime(timestamp / nanosecondsPerMs) : fallback;

function cpu(usage: ContainerStats['cpu'], time: string) {
  return {
    time: timeOf(usage?.timestamp, time),
    usageNanoCores: usage?.usageNanoCores?.value ?? 0,
    usageCoreNanoSeconds: usage?.usageCoreNanoSeconds?.value ?? 0,
  };
}

function memory(usage: ContainerStats['memory'], time: string) {
  return {
    time: timeOf(usage?.timestamp, time),
    usageBytes: usage?.usageBytes?.value,
    workingSetBytes: usage?.workingSetBytes?.value ?? 0,
    rssBytes: usage?.rssBytes?.value,
    pageFaults: usage?.pageFaults?.value,
    majorPageFaults: usage?.majorPageFaults?.value,
  };
}
