import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The few things that need the kernel's mount table; handed in, so that volumes can be tested without root. */
export interface Mounter {
  tmpfs(target: string, options: readonly string[]): Promise<void>;
  /** Does not follow links in `source`. */
  bind(source: string, target: string): Promise<void>;
  /** Does nothing where nothing is mounted. */
  unmount(target: string): Promise<void>;
  /** Mount points below (or at) a folder, deepest first. */
  mountsBelow(dir: string): Promise<readonly string[]>;
}

/** Mounts with util-linux's commands. */
export const hostMounter: Mounter = {
  async tmpfs(target, options) {
    await run('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', target]);
  },
  async bind(source, target) {
    await run('mount', ['--no-canonicalize', '--bind', source, target]);
  },
  async unmount(target) {
    if ((await mountPoints()).includes(target)) await run('umount', ['--no-canonicalize', target]);
  },
  async mountsBelow(dir) {
    const below = (await mountPoints()).filter((point) => point === dir || point.startsWith(`${dir}/`));
    return below.sort((a, b) => b.length - a.length);
  },
};

async function mountPoints(): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  return table
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point !== '')
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))));
}
