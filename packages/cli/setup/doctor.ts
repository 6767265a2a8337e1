import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { runCommand } from '@kubernode/network';
import { findProgram, nodePrograms } from './programs.ts';

export interface Finding {
  readonly title: string;
  readonly ok: boolean;
  readonly detail?: string;
  /** What to do where it is not well. */
  readonly remedy?: string;
}

/** Looks at this machine without changing it. Every finding that is not well comes with its remedy. */
export async function examine(): Promise<Finding[]> {
  return [root(), ...programs(), cgroups(), filesystem('overlay'), await nftables(), await links()];
}

function root(): Finding {
  const ok = process.getuid?.() === 0;
  return {
    title: 'rights',
    ok,
    detail: ok ? 'root' : 'not root',
    remedy: 'Containers and networks need root: use sudo.',
  };
}

function programs(): Finding[] {
  return nodePrograms.map(({ name, alternatives = [name], package: debian, why }) => {
    const found = alternatives.map((candidate) => findProgram(candidate)).find((path) => path !== undefined);
    const detail = found ?? `missing; ${why}`;
    return {
      title: alternatives.join(' or '),
      ok: found !== undefined,
      detail,
      remedy: `Run: kubernode setup (or: apt-get install ${debian})`,
    };
  });
}

function cgroups(): Finding {
  const title = 'cgroups';
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return { title, ok: true, detail: 'version 2' };
  const missing = ['memory', 'cpu', 'pids', 'devices'].filter((name) => !existsSync(`/sys/fs/cgroup/${name}`));
  const remedy = 'Mount the cgroup file system, or boot with systemd.unified_cgroup_hierarchy=1.';
  if (missing.length === 4) return { title, ok: false, detail: 'not mounted', remedy };
  return {
    title,
    ok: missing.length === 0,
    detail: missing.length === 0 ? 'version 1' : `version 1 without ${missing.join(', ')}`,
    remedy,
  };
}

function filesystem(name: string): Finding {
  const ok = new RegExp(`\\s${name}$`, 'm').test(readFileSync('/proc/filesystems', 'utf8')) || canLoad(name);
  return { title: `${name} file system`, ok, remedy: `The kernel must have it: modprobe ${name}` };
}

/** A module that is not loaded yet, but is there to be loaded on first use. */
function canLoad(name: string): boolean {
  try {
    const release = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim();
    accessSync(`/lib/modules/${release}/modules.dep`, constants.R_OK);
    return readFileSync(`/lib/modules/${release}/modules.dep`, 'utf8').includes(`/${name}.ko`);
  } catch {
    return false;
  }
}

async function nftables(): Promise<Finding> {
  const script =
    'add table ip kubernode-doctor\nadd chain ip kubernode-doctor c { type nat hook output priority -100; }\ndelete table ip kubernode-doctor\n';
  return attempt('nftables with NAT', 'nft', ['-c', '-f', '-'], script, 'The kernel needs nf_tables and nf_nat.');
}

async function links(): Promise<Finding> {
  return attempt(
    'network namespaces',
    'unshare',
    ['--net', 'ip', 'link', 'add', 'kn-doctor', 'type', 'bridge'],
    '',
    'The kernel needs namespaces, bridge and veth.',
  );
}

async function attempt(
  title: string,
  command: string,
  args: readonly string[],
  input: string,
  remedy: string,
): Promise<Finding> {
  try {
    await runCommand(command, args, { input });
    return { title, ok: true };
  } catch (error) {
    return { title, ok: false, detail: (error as Error).message.split('\n')[0] ?? '', remedy };
  }
}
