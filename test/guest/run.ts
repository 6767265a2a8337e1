/**
 * Runs the tests with real containers in a small virtual machine with Debian's kernel and cgroup v2 alone, first with
 * crun, then with runc: what a machine with cgroup v1 cannot try. The guest has no network but its own loopback.
 *
 * Usage: npm run test:guest -- [--filter WORD] [--runtimes crun,runc] [--accelerator kvm]
 *   --filter       only test files whose path contains the word
 *   --accelerator  `tcg` (works everywhere, takes minutes) if not given
 *
 * Needs root, and Debian's packages qemu-system-x86, dpkg and e2fsprogs. Debian packages of the guest are downloaded with
 * apt by name, once, to node_modules/.cache/guest. The exit code is 0 where all tests passed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeImage, type GuestImage } from './image.ts';

const cache = join(import.meta.dirname, '../../node_modules/.cache/guest');
const memoryMegabytes = 3072;
const runTimeoutMs = 40 * 60_000;

const { values } = parseArgs({
  options: {
    filter: { type: 'string', default: '.' },
    runtimes: { type: 'string', default: 'crun,runc' },
    accelerator: { type: 'string', default: 'tcg' },
  },
});
if (process.getuid?.() !== 0) refuse('run it as root: the image keeps the owners of its files');
if (process.arch !== 'x64') refuse(`the guest is made for x64, this machine is ${process.arch}`);
if (spawnSync('qemu-system-x86_64', ['--version']).status !== 0) {
  refuse('qemu-system-x86_64 is missing: apt-get install --no-install-recommends qemu-system-x86');
}
process.exitCode = await boot(makeImage(cache));

/** Shows the guest's console; answers 0 where it said that all went well. */
async function boot(image: GuestImage): Promise<number> {
  const environment = `GUEST_FILTER=${values.filter} GUEST_RUNTIMES=${values.runtimes}`;
  const lines = [
    `-accel ${values.accelerator} -cpu max -smp 1 -m ${memoryMegabytes} -nic none`,
    '-display none -monitor none -serial stdio -no-reboot',
  ];
  const args = lines
    .flatMap((line) => line.split(' '))
    .concat(
      ['-kernel', image.kernel, '-initrd', image.initramfs],
      ['-append', `console=ttyS0 quiet panic=-1 ${environment}`],
      ['-drive', `file=${image.disk},if=virtio,format=raw,cache=unsafe`],
    );
  const qemu = spawn('nice', ['-n', '10', 'qemu-system-x86_64', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => {
    console.error(`guest: still running after ${runTimeoutMs / 60_000} minutes; ended`);
    qemu.kill('SIGKILL');
  }, runTimeoutMs);
  let last = '';
  qemu.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    last = (last + text).slice(-2000);
  });
  await new Promise((resolve) => qemu.once('close', resolve));
  clearTimeout(timer);
  return /== guest: result 0/.test(last) ? 0 : 1;
}

function refuse(why: string): never {
  console.error(`guest: ${why}`);
  process.exit(2);
}
