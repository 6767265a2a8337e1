import { readFileSync } from 'node:fs';
import { removePodCgroups, removePodMounts } from '@kubernode/kubelet';
import { removeBridgeNetwork, removeServiceTable } from '@kubernode/network';
import type { DataDir } from './data-dir.ts';

/** Whether an earlier node of this data folder left its link or mounts, as one with running containers does. */
export function hasNodeTraces(dataDir: DataDir): boolean {
  const links = readFileSync('/proc/self/net/dev', 'utf8').split('\n');
  if (links.some((line) => line.trimStart().startsWith(`${dataDir.bridge}:`))) return true;
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${dataDir.path}/agent/`);
}

/**
 * Takes away what a node without containers has on its machine outside of the data folder, and its mounts in it. One
 * thing that resists does not keep the others; throws what the first one said.
 */
export async function removeNode(dataDir: DataDir): Promise<void> {
  const steps = [
    () => removeNetwork(dataDir),
    () => removePodMounts(dataDir.kubeletRoot),
    () => removePodCgroups(dataDir.cgroupRoot),
  ];
  const failed = (await Promise.allSettled(steps.map((step) => step()))).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Bridge, its rules, and those of Services. Quiet where there is nothing. */
export async function removeNetwork(dataDir: DataDir): Promise<void> {
  await removeBridgeNetwork({ bridge: dataDir.bridge, table: dataDir.bridgeTable });
  await removeServiceTable(dataDir.serviceTable);
}
