import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CriError, type CriMessage } from '@kubernode/api/cri';

export interface OciDevice {
  readonly path: string;
  readonly type: 'c' | 'b';
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface DeviceRule {
  readonly allow: boolean;
  readonly type?: string;
  readonly major?: number;
  readonly minor?: number;
  readonly access: string;
}

/** Folders of /dev that a container has of its own. */
const ownFolders = new Set(['pts', 'shm', 'fd', 'mqueue', '.lxc', '.lxd-mounts', '.udev']);

/** Devices of the configuration; all of the host's for a privileged container. */
export async function containerDevices(
  devices: readonly CriMessage<'Device'>[],
  privileged: boolean,
): Promise<{ devices: OciDevice[]; rules: DeviceRule[] }> {
  if (privileged) return { devices: await hostDevices('/dev'), rules: [{ allow: true, access: 'rwm' }] };
  const made: OciDevice[] = [];
  const rules: DeviceRule[] = [{ allow: false, access: 'rwm' }];
  for (const { hostPath, containerPath, permissions } of devices) {
    const device = await deviceAt(hostPath, containerPath || hostPath);
    if (!device) throw new CriError('InvalidArgument', `"${hostPath}" is not a device node`);
    made.push(device);
    const { type, major, minor } = device;
    rules.push({ allow: true, type, major, minor, access: permissions || 'rwm' });
  }
  return { devices: made, rules };
}

async function hostDevices(folder: string): Promise<OciDevice[]> {
  const found: OciDevice[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !ownFolders.has(entry.name)) found.push(...(await hostDevices(path)));
    if (!entry.isCharacterDevice() && !entry.isBlockDevice()) continue;
    if (entry.name === 'console' || entry.name === 'ptmx') continue;
    const device = await deviceAt(path, path);
    if (device) found.push(device);
  }
  return found;
}

async function deviceAt(hostPath: string, path: string): Promise<OciDevice | undefined> {
  const stats = await stat(hostPath).catch(() => {
    throw new CriError('InvalidArgument', `device "${hostPath}" does not exist on this machine`);
  });
  const type = stats.isCharacterDevice() ? 'c' : stats.isBlockDevice() ? 'b' : undefined;
  if (!type) return undefined;
  // The C library's packing of a device number: makedev(3).
  const number = BigInt(stats.rdev);
  const major = Number(((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn));
  const minor = Number((number & 0xffn) | ((number >> 12n) & ~0xffn));
  return { path, type, major, minor, fileMode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid };
}
