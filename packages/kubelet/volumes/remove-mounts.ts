import { hostMounter, type Mounter } from './mounter.ts';

/** Unmounts all that a kubelet mounted below its root (volumes in memory, subPaths, secrets), so that it can be removed. */
export async function removePodMounts(rootDir: string, mounter: Mounter = hostMounter): Promise<void> {
  for (const mount of await mounter.mountsBelow(rootDir)) await mounter.unmount(mount);
}
