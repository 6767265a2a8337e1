import { realpath } from 'node:fs/promises';
import { CriError, type Mount } from '@kubernode/api/cri';
import { makeFolder } from '@kubernode/machinery';
import { isMissing } from '../host/files.ts';

export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** Files and folders that the sandbox lends to its containers. */
export interface SandboxFiles {
  readonly resolvConf: string;
  readonly hostname: string;
  /** Folder behind /dev/shm. */
  readonly shm: string;
}

const quiet = ['nosuid', 'noexec', 'nodev'];

/** What every container sees, before the pod's own volumes. */
export function systemMounts(options: { readonly privileged: boolean; readonly files: SandboxFiles }): OciMount[] {
  const access = options.privileged ? 'rw' : 'ro';
  const bind = (destination: string, source: string, flags: readonly string[] = []): OciMount => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'rprivate', 'rw', ...flags],
  });
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: quiet },
    {
      destination: '/dev',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
    },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
    },
    { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: quiet },
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...quiet, access] },
    { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: [...quiet, 'relatime', access] },
    bind('/dev/shm', options.files.shm),
    bind('/etc/hostname', options.files.hostname),
    bind('/etc/resolv.conf', options.files.resolvConf),
  ];
}

/**
 * The system's mounts overlaid by the pod's, outer folders before inner ones. A host path that is missing is made, as
 * the other runtimes do. Refuses image volumes and id-mapped mounts by name.
 */
export async function allMounts(system: readonly OciMount[], mounts: readonly Mount[]): Promise<OciMount[]> {
  const own = await Promise.all(mounts.map(volumeMount));
  const taken = new Set(own.map((mount) => mount.destination));
  const both = [...system.filter((mount) => !taken.has(mount.destination)), ...own];
  const depth = (mount: OciMount) => mount.destination.split('/').filter(Boolean).length;
  return both
    .map((mount, index) => ({ mount, index }))
    .sort((a, b) => depth(a.mount) - depth(b.mount) || a.index - b.index)
    .map(({ mount }) => mount);
}

/** How mounts move between the host and the container's root. */
export function rootPropagation(mounts: readonly Mount[]): string {
  if (mounts.some((mount) => mount.propagation === 'PROPAGATION_BIDIRECTIONAL')) return 'rshared';
  if (mounts.some((mount) => mount.propagation === 'PROPAGATION_HOST_TO_CONTAINER')) return 'rslave';
  return 'rprivate';
}

const propagations = {
  PROPAGATION_PRIVATE: 'rprivate',
  PROPAGATION_HOST_TO_CONTAINER: 'rslave',
  PROPAGATION_BIDIRECTIONAL: 'rshared',
} as const;

async function volumeMount(mount: Mount): Promise<OciMount> {
  if (mount.image)
    throw new CriError('Unimplemented', `mount of image volume at "${mount.containerPath}" is not supported`);
  if (mount.uidMappings.length + mount.gidMappings.length > 0) {
    throw new CriError('Unimplemented', `id-mapped mount at "${mount.containerPath}" is not supported`);
  }
  const source = await realpath(mount.hostPath).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await makeFolder(mount.hostPath, 0o755);
    return mount.hostPath;
  });
  const access = mount.readonly ? (mount.recursiveReadOnly ? ['ro', 'rro'] : ['ro']) : ['rw'];
  return {
    destination: mount.containerPath.startsWith('/') ? mount.containerPath : `/${mount.containerPath}`,
    type: 'bind',
    source,
    options: ['rbind', propagations[mount.propagation], ...access, ...mount.mountOptions],
  };
}
