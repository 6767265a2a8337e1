import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';

/** What a cluster left on this machine after its reset: one line for each thing, none for a clean machine. */
export function leftovers(dataDir: string, netns: string): string[] {
  const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 6);
  const inside = (command: string, ...args: string[]) =>
    execFileSync('nsenter', [`--net=/run/netns/${netns}`, command, ...args], { encoding: 'utf8' });
  const links = JSON.parse(inside('ip', '-j', 'link')) as { ifname: string }[];
  return [
    ...(existsSync(dataDir) ? [`folder ${dataDir}`] : []),
    ...processesOf(dataDir),
    ...lines(readFileSync('/proc/mounts', 'utf8'))
      .filter((line) => line.includes(dataDir))
      .map((line) => `mount ${line}`),
    ...globSync(`/sys/fs/cgroup/{*,.}/kubernode-${id}`).map((path) => `cgroup ${path}`),
    ...readdirSync('/run/netns')
      .filter((name) => name.includes(id))
      .map((name) => `network namespace ${name}`),
    ...lines(inside('nft', 'list', 'tables')).map((line) => `nft ${line}`),
    ...links.filter(({ ifname }) => ifname !== 'lo').map(({ ifname }) => `link ${ifname}`),
  ];
}

function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = readOrNothing(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      const environment = readOrNothing(`/proc/${pid}/environ`);
      return command.includes(dataDir) || environment.includes(`KUBERNODE_DATA_DIR=${dataDir}`)
        ? [`process ${pid}: ${command}`]
        : [];
    });
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
