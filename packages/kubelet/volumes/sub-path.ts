import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Mounter } from './mounter.ts';
import { VolumeError } from './payload.ts';

/** Linux's O_PATH, which Node does not name: a handle on the name, without a right to read. */
const O_PATH = 0o10000000;

/**
 * Bind-mounts `volumeDir/subPath` to `target` so that a container which changes links in its volume meanwhile cannot
 * reach outside of it: each step is opened below the one before without following links, and what is mounted is the
 * open handle, not a name. A part that misses is made as a folder.
 */
export async function mountSubPath(
  volumeDir: string,
  subPath: string,
  target: string,
  mounter: Mounter,
): Promise<void> {
  if (subPath.startsWith('/') || subPath.split('/').includes('..')) {
    throw new VolumeError(`invalid subPath "${subPath}": must be relative and must not contain ".."`);
  }
  const root = await realpath(volumeDir);
  const handle = await openBelow(root, await resolved(root, subPath));
  try {
    const isDirectory = (await stat(`/proc/self/fd/${handle.fd}`)).isDirectory();
    await mkdir(isDirectory ? target : dirname(target), { recursive: true });
    if (!isDirectory) await writeFile(target, '', { flag: 'a' });
    await mounter.bind(`/proc/${process.pid}/fd/${handle.fd}`, target);
  } finally {
    await handle.close();
  }
}

/** The path without links, as far as it exists, relative to the root. */
async function resolved(root: string, subPath: string): Promise<string> {
  const full = join(root, subPath);
  const real = await realpath(full).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeBelow(root, subPath);
    return realpath(full);
  });
  if (real !== root && !real.startsWith(root + sep)) {
    throw new VolumeError(`subPath "${subPath}" leads outside of its volume`);
  }
  return relative(root, real);
}

async function makeBelow(root: string, subPath: string): Promise<void> {
  let at = root;
  for (const part of subPath.split('/').filter(Boolean)) {
    const next = join(at, part);
    const real = await realpath(next).catch(() => undefined);
    if (real === undefined) await mkdir(next, { mode: 0o750 });
    else if (real !== root && !real.startsWith(root + sep)) {
      throw new VolumeError(`subPath "${subPath}" leads outside of its volume`);
    }
    at = real ?? next;
  }
}

async function openBelow(root: string, path: string): Promise<FileHandle> {
  let handle = await open(root, O_PATH | constants.O_DIRECTORY);
  for (const part of path.split(sep).filter(Boolean)) {
    const parent = handle;
    try {
      handle = await open(`/proc/self/fd/${parent.fd}/${part}`, O_PATH | constants.O_NOFOLLOW);
    } finally {
      await parent.close();
    }
  }
  const where = await readlink(`/proc/self/fd/${handle.fd}`);
  if (where === root || where.startsWith(root + sep)) return handle;
  await handle.close();
  throw new VolumeError(`subPath "${path}" leads outside of its volume`);
}
