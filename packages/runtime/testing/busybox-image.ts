import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pack, type Header } from 'tar-stream';
import { hostPlatform, sha256 } from '../images/manifest.ts';

/** Commands of busybox that the image offers by name. */
const applets =
  'sh ash cat chmod cp cut date dd df dirname echo env expr false find free grep head hostname httpd id ifconfig ip kill ln ls ' +
  'md5sum mkdir mknod mount mv nc netstat nslookup ping printf ps pwd readlink rm route sed seq sha256sum sleep sort ' +
  'stat stty sync tail tar tee telnet test time timeout top touch tr true tty udhcpc umount uname uniq vi wc wget ' +
  'which whoami xargs yes';

export interface BusyboxImageOptions {
  /** A static busybox, as Debian's package busybox-static has it. */
  readonly busyboxPath?: string;
  /** Full reference, written as the layout's annotation. */
  readonly name: string;
  /** Files by absolute path, `/www/index.html` for one. */
  readonly files?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly user?: string;
  readonly stopSignal?: string;
}

/**
 * Makes an OCI image layout in `folder` from this machine's busybox: an image for the demo and for tests, without any
 * registry. The same input gives the same digests.
 */
export async function writeBusyboxImage(folder: string, options: BusyboxImageOptions): Promise<void> {
  const layer = await busyboxLayer(options.busyboxPath ?? '/bin/busybox', options.files ?? {});
  const { os, architecture } = hostPlatform();
  const config = JSON.stringify({
    os,
    architecture,
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...(options.env ?? [])],
      Cmd: options.command ?? ['sh'],
      ...(options.user === undefined ? {} : { User: options.user }),
      ...(options.stopSignal === undefined ? {} : { StopSignal: options.stopSignal }),
    },
    rootfs: { type: 'layers', diff_ids: [sha256(layer)] },
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe('application/vnd.oci.image.config.v1+json', config),
    layers: [describe('application/vnd.oci.image.layer.v1.tar', layer)],
  });
  const index = JSON.stringify({
    schemaVersion: 2,
    manifests: [
      {
        ...describe('application/vnd.oci.image.manifest.v1+json', manifest),
        platform: { os, architecture },
        annotations: { 'io.containerd.image.name': options.name },
      },
    ],
  });
  const blobs = join(folder, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  for (const blob of [layer, config, manifest])
    await writeFile(join(blobs, sha256(blob).slice('sha256:'.length)), blob);
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(folder, 'index.json'), index);
}

/** A root folder with busybox alone, for the container that holds a shared process namespace. */
export async function writeBusyboxRoot(folder: string, busyboxPath = '/bin/busybox'): Promise<void> {
  for (const name of ['bin', 'proc', 'sys', 'dev']) await mkdir(join(folder, name), { recursive: true });
  await copyFile(busyboxPath, join(folder, 'bin', 'busybox'));
  await symlink('busybox', join(folder, 'bin', 'sh')).catch(() => {});
}

async function busyboxLayer(busyboxPath: string, files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack();
  const add = (header: Partial<Header> & { name: string }, content?: Buffer | string) => {
    if (content === undefined) archive.entry({ mtime: new Date(0), ...header });
    else archive.entry({ mtime: new Date(0), ...header }, content);
  };
  const folders = [
    'bin',
    'dev',
    'etc',
    'home',
    'proc',
    'root',
    'run',
    'sys',
    'tmp',
    'usr',
    'usr/bin',
    'var',
    'var/run',
  ];
  for (const name of folders) add({ name: `${name}/`, type: 'directory', mode: name === 'tmp' ? 0o1777 : 0o755 });
  add({ name: 'bin/busybox', mode: 0o755 }, await readFile(busyboxPath));
  for (const name of applets.split(' '))
    add({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox', mode: 0o777 });
  const accounts = {
    '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
    '/etc/group': 'root:x:0:\nnobody:x:65534:\n',
  };
  const known = new Set(folders);
  for (const [path, content] of Object.entries({ ...accounts, ...files })) {
    const name = path.replace(/^\/+/, '');
    const parts = name.split('/').slice(0, -1);
    for (const depth of parts.keys()) {
      const parent = parts.slice(0, depth + 1).join('/');
      if (!known.has(parent)) add({ name: `${parent}/`, type: 'directory', mode: 0o755 });
      known.add(parent);
    }
    add({ name, mode: content.startsWith('#!') ? 0o755 : 0o644 }, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function describe(
  mediaType: string,
  content: Uint8Array | string,
): { mediaType: string; digest: string; size: number } {
  return { mediaType, digest: sha256(content), size: Buffer.byteLength(content) };
}
