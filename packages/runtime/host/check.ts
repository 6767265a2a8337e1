import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CgroupLayout, cgroupLayout } from './cgroups.ts';

/** One thing that the runtime needs of its host. */
export interface HostFinding {
  readonly name: string;
  /** error: containers cannot run; warning: something will be missing. */
  readonly level: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
}

/** Programs, the Debian package that has each, and what it is for. */
const programs = [
  { name: 'conmon', package: 'conmon', use: 'keeps containers running and their logs written' },
  { name: 'unshare', package: 'util-linux', use: 'makes namespaces' },
  { name: 'nsenter', package: 'util-linux', use: 'port-forward' },
  { name: 'mount', package: 'mount', use: 'mounts layers' },
  { name: 'tar', package: 'tar', use: 'unpacks layers' },
  { name: 'ip', package: 'iproute2', use: 'sets up loopback' },
  { name: 'socat', package: 'socat', use: 'attach and port-forward' },
  { name: 'perl', package: 'perl-base', use: 'attach' },
  { name: 'busybox', package: 'busybox-static', use: 'holds shared process namespaces' },
  { name: 'script', package: 'bsdutils', use: 'terminals of exec', optional: true },
  { name: 'stty', package: 'coreutils', use: 'terminals of exec', optional: true },
] as const;

/** What this machine has and lacks for running containers; no finding of level `error` means that it can. */
export async function checkHost(): Promise<HostFinding[]> {
  const layout = await cgroupLayout();
  const findings: HostFinding[] = [
    process.getuid?.() === 0
      ? { name: 'root', level: 'ok', message: 'runs as root' }
      : { name: 'root', level: 'error', message: 'containers need root', remedy: 'run it with sudo' },
    await overlayFinding(),
    { name: 'cgroups', level: 'ok', message: `layout: ${layout}` },
    await runtimeFinding(layout),
  ];
  for (const program of programs) {
    const path = await findProgram(program.name);
    const optional = 'optional' in program;
    findings.push(
      path
        ? { name: program.name, level: 'ok', message: path }
        : {
            name: program.name,
            level: optional ? 'warning' : 'error',
            message: `"${program.name}" is not installed: ${program.use}`,
            remedy: `apt-get install ${program.package}`,
          },
    );
  }
  return findings;
}

/** The path of runc or crun, whichever works here: crun refuses the hybrid cgroup layout. Undefined if neither. */
export async function findOciRuntime(layout: CgroupLayout): Promise<string | undefined> {
  const order = layout === 'hybrid' ? ['runc'] : ['crun', 'runc'];
  for (const name of order) {
    const path = await findProgram(name);
    if (path) return path;
  }
  return undefined;
}

export async function findProgram(name: string): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin'];
  for (const folder of folders.filter(Boolean)) {
    const path = join(folder, name);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
}

async function runtimeFinding(layout: CgroupLayout): Promise<HostFinding> {
  const path = await findOciRuntime(layout);
  if (path) return { name: 'oci runtime', level: 'ok', message: path };
  const refused = layout === 'hybrid' && (await findProgram('crun'));
  return {
    name: 'oci runtime',
    level: 'error',
    message: refused
      ? 'crun does not work with the hybrid cgroup layout of this machine'
      : 'neither crun nor runc is installed',
    remedy: 'apt-get install runc',
  };
}

async function overlayFinding(): Promise<HostFinding> {
  const known = /\boverlay$/m.test(await readFile('/proc/filesystems', 'utf8').catch(() => ''));
  if (known) return { name: 'overlayfs', level: 'ok', message: 'known to the kernel' };
  return {
    name: 'overlayfs',
    level: 'warning',
    message: 'the kernel does not list it yet',
    remedy: 'modprobe overlay',
  };
}
