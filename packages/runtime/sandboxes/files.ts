import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../host/command.ts';
import type { SandboxFiles } from '../containers/mounts.ts';
import type { SandboxRecord } from './record.ts';

const shmBytes = 64 * 1024 * 1024;

export function sandboxFiles(folder: string, record: Pick<SandboxRecord, 'namespaces'>): SandboxFiles {
  return {
    resolvConf: join(folder, 'resolv.conf'),
    hostname: join(folder, 'hostname'),
    shm: record.namespaces.includes('ipc') ? join(folder, 'shm') : '/dev/shm',
  };
}

/** Writes what all containers of the sandbox share: /etc/resolv.conf, /etc/hostname, and the memory behind /dev/shm. */
export async function writeSandboxFiles(folder: string, record: SandboxRecord): Promise<void> {
  const files = sandboxFiles(folder, record);
  const dns = record.config.dnsConfig;
  const steps = await Promise.allSettled([
    dns
      ? writeFile(files.resolvConf, resolvConf(dns))
      : copyFile('/etc/resolv.conf', files.resolvConf).catch(() => writeFile(files.resolvConf, '')),
    writeFile(files.hostname, `${record.hostname}\n`),
    record.namespaces.includes('ipc') ? mountShm(files.shm) : undefined,
  ]);
  for (const step of steps) if (step.status === 'rejected') throw step.reason;
}

function resolvConf(dns: NonNullable<SandboxRecord['config']['dnsConfig']>): string {
  const lines = [
    ...(dns.searches.length > 0 ? [`search ${dns.searches.join(' ')}`] : []),
    ...dns.servers.map((server) => `nameserver ${server}`),
    ...(dns.options.length > 0 ? [`options ${dns.options.join(' ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

async function mountShm(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const options = `nosuid,noexec,nodev,mode=1777,size=${shmBytes}`;
  await run('mount', ['-n', '-t', 'tmpfs', '-o', options, 'shm', folder]);
}
