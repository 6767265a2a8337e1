import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CriError } from '@kubernode/api/cri';
import { CommandError, run } from '../host/command.ts';

/** The namespaces that a sandbox holds, pinned as files of these names in its folder. */
export type PinnedNamespace = 'net' | 'ipc' | 'uts';

/** Namespaced sysctls: all others would change the host (sysctls that the kubelet may let through). */
const sysctlPattern = /^(?:net\.|kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/;

/** A pod's process may use low ports and ping without privileges, as in other runtimes. */
const networkSysctls = { 'net.ipv4.ip_unprivileged_port_start': '0', 'net.ipv4.ping_group_range': '0 2147483647' };

/**
 * Makes the namespaces and pins them by bind mounts: they last without any process, until they are unmounted. The host
 * name, the loopback link and the sysctls are set inside.
 */
export async function pinNamespaces(options: {
  readonly folder: string;
  readonly namespaces: readonly PinnedNamespace[];
  readonly hostname: string;
  readonly sysctls: Readonly<Record<string, string>>;
}): Promise<void> {
  const { folder, namespaces } = options;
  for (const name of Object.keys(options.sysctls)) refuseSysctl(name, namespaces);
  if (namespaces.length === 0) return;
  const sysctls = { ...(namespaces.includes('net') ? networkSysctls : {}), ...options.sysctls };
  const script = [
    'set -e',
    namespaces.includes('uts') ? 'printf %s "$1" > /proc/sys/kernel/hostname' : '',
    namespaces.includes('net') ? 'ip link set lo up' : '',
    'shift; while [ $# -gt 0 ]; do printf %s "$2" > "/proc/sys/$1" || { echo "set sysctl $1" >&2; exit 1; }; shift 2; done',
  ];
  const files = namespaces.map((name) => join(folder, name));
  await Promise.all(files.map((file) => writeFile(file, '')));
  const flags = namespaces.map((name, index) => `--${name}=${files[index]}`);
  const settings = Object.entries(sysctls).flatMap(([name, value]) => [name.replaceAll('.', '/'), value]);
  const command = ['sh', '-c', script.filter(Boolean).join('\n'), 'sh', options.hostname, ...settings];
  await run('unshare', [...flags, '--', ...command]).catch((error: CommandError) => {
    throw new CriError('Unknown', `make the sandbox's namespaces: ${error.message}`, { cause: error });
  });
}

function refuseSysctl(name: string, namespaces: readonly PinnedNamespace[]): void {
  const dotted = name.replaceAll('/', '.');
  if (!sysctlPattern.test(dotted) && dotted !== 'kernel.shm_rmid_forced') {
    throw new CriError('InvalidArgument', `sysctl "${name}" is not in a separate kernel namespace`);
  }
  const wanted = dotted.startsWith('net.') ? 'net' : 'ipc';
  if (!namespaces.includes(wanted)) {
    const shared = wanted === 'net' ? 'network' : 'IPC';
    throw new CriError('InvalidArgument', `sysctl "${name}" not allowed in host ${shared} namespace`);
  }
}
