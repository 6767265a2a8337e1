import { readFile } from 'node:fs/promises';
import { arch, cpus, hostname, release, totalmem } from 'node:os';

/** What a node says of the machine it runs on. */
export interface Machine {
  readonly hostname: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** As Go names it: amd64, arm64. */
  readonly architecture: string;
  readonly swapBytes: number;
}

export async function readMachine(): Promise<Machine> {
  const text = (path: string) =>
    readFile(path, 'utf8').then(
      (content) => content.trim(),
      () => '',
    );
  const [machineId, productUuid, bootId, osRelease, meminfo] = await Promise.all([
    text('/etc/machine-id'),
    text('/sys/class/dmi/id/product_uuid'),
    text('/proc/sys/kernel/random/boot_id'),
    text('/etc/os-release'),
    text('/proc/meminfo'),
  ]);
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0);
  return {
    hostname: hostname(),
    cores: cpus().length,
    memoryBytes: kib('MemTotal') * 1024 || totalmem(),
    machineId,
    systemUuid: productUuid || machineId,
    bootId,
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease)?.[1] ?? 'Linux',
    architecture: { x64: 'amd64', arm64: 'arm64' }[arch() as string] ?? arch(),
    swapBytes: kib('SwapTotal') * 1024,
  };
}
