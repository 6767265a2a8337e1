import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Gives a volume to the pod's fsGroup: group owner, group read and write, and setgid on folders so that new files
 * belong to the group as well. With `OnRootMismatch` a volume whose root is right already is left alone.
 */
export async function setVolumeOwnership(
  dir: string,
  gid: number,
  changePolicy: 'Always' | 'OnRootMismatch',
): Promise<void> {
  if (changePolicy === 'OnRootMismatch') {
    const { gid: owner, mode } = await lstat(dir);
    if (owner === gid && (mode & 0o2770) === 0o2770) return;
  }
  await own(dir, gid);
}

async function own(path: string, gid: number): Promise<void> {
  const info = await lstat(path);
  await lchown(path, info.uid, gid);
  if (info.isSymbolicLink()) return;
  if (!info.isDirectory()) return chmod(path, (info.mode & 0o7777) | 0o660);
  await chmod(path, (info.mode & 0o7777) | 0o2770);
  for (const name of await readdir(path)) await own(join(path, name), gid);
}
