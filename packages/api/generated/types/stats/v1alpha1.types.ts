// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';

export interface AcceleratorStats {
  make: string;
  model: string;
  id: string;
  memoryTotal: number;
  memoryUsed: number;
  dutyCycle: number;
}

export interface CPUStats {
  time: Time;
  usageNanoCores?: number | undefined;
  usageCoreNanoSeconds?: number | undefined;
  psi?: PSIStats | undefined;
}

export interface ContainerStats {
  name: string;
  startTime: Time;
  cpu?: CPUStats | undefined;
  memory?: MemoryStats | undefined;
  io?: IOStats | undefined;
  accelerators?: AcceleratorStats[] | undefined;
  rootfs?: FsStats | undefined;
  logs?: FsStats | undefined;
  userDefinedMetrics?: UserDefinedMetric[] | undefined;
  swap?: SwapStats | undefined;
}

export interface FsStats {
  time: Time;
  availableBytes?: number | undefined;
  capacityBytes?: number | undefined;
  usedBytes?: number | undefined;
  inodesFree?: number | undefined;
  inodes?: number | undefined;
  inodesUsed?: number | undefined;
}

export interface IOStats {
  time: Time;
  psi?: PSIStats | undefined;
}

export interface InterfaceStats {
  name: string;
  rxBytes?: number | undefined;
  rxErrors?: number | undefined;
  txBytes?: number | undefined;
  txErrors?: number | undefined;
}

export interface MemoryStats {
  time: Time;
  availableBytes?: number | undefined;
  usageBytes?: number | undefined;
  workingSetBytes?: number | undefined;
  rssBytes?: number | undefined;
  pageFaults?: number | undefined;
  majorPageFaults?: number | undefined;
  psi?: PSIStats | undefined;
}

export interface NetworkStats {
  time: Time;
  name: string;
  rxBytes?: number | undefined;
  rxErrors?: number | undefined;
  txBytes?: number | undefined;
  txErrors?: number | undefined;
  interfaces?: InterfaceStats[] | undefined;
}

export interface NodeStats {
  nodeName: string;
  systemContainers?: ContainerStats[] | undefined;
  startTime: Time;
  cpu?: CPUStats | undefined;
  memory?: MemoryStats | undefined;
  io?: IOStats | undefined;
  network?: NetworkStats | undefined;
  fs?: FsStats | undefined;
  runtime?: RuntimeStats | undefined;
  rlimit?: RlimitStats | undefined;
  swap?: SwapStats | undefined;
}

export interface PSIData {
  total: number;
  avg10: number;
  avg60: number;
  avg300: number;
}

export interface PSIStats {
  full: PSIData;
  some: PSIData;
}

export interface PVCReference {
  name: string;
  namespace: string;
}

export interface PodReference {
  name: string;
  namespace: string;
  uid: string;
}

export interface PodStats {
  podRef: PodReference;
  startTime: Time;
  containers: ContainerStats[];
  cpu?: CPUStats | undefined;
  memory?: MemoryStats | undefined;
  io?: IOStats | undefined;
  network?: NetworkStats | undefined;
  volume?: VolumeStats[] | undefined;
  "ephemeral-storage"?: FsStats | undefined;
  process_stats?: ProcessStats | undefined;
  swap?: SwapStats | undefined;
}

export interface ProcessStats {
  process_count?: number | undefined;
}

export interface RlimitStats {
  time: Time;
  maxpid?: number | undefined;
  curproc?: number | undefined;
}

export interface RuntimeStats {
  imageFs?: FsStats | undefined;
  containerFs?: FsStats | undefined;
}

export interface Summary {
  node: NodeStats;
  pods: PodStats[];
}

export interface SwapStats {
  time: Time;
  swapAvailableBytes?: number | undefined;
  swapUsageBytes?: number | undefined;
}

export interface UserDefinedMetric {
  name: string;
  type: string;
  units: string;
  labels?: { [key: string]: string } | undefined;
  time: Time;
  value: number;
}

export interface UserDefinedMetricDescriptor {
  name: string;
  type: string;
  units: string;
  labels?: { [key: string]: string } | undefined;
}

export interface VolumeStats {
  time: Time;
  availableBytes?: number | undefined;
  capacityBytes?: number | undefined;
  usedBytes?: number | undefined;
  inodesFree?: number | undefined;
  inodes?: number | undefined;
  inodesUsed?: number | undefined;
  name?: string | undefined;
  pvcRef?: PVCReference | undefined;
}
