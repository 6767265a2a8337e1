import { chmod, chown, lchown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { VolumeError, type Payload } from './payload.ts';

export interface WriteOptions {
  /** Names the new folder: differs from write to write. */
  readonly stamp: string;
  readonly gid?: number | undefined;
}

/**
 * Replaces all files of a volume in one step: readers see all old or all new files, never a mix. The files live in a
 * folder of their own, `..data` is a link to it that is renamed into place, and each top-level name is a link through
 * `..data` (upstream: AtomicWriter; programs watch exactly this).
 */
export async function writeAtomically(volumeDir: string, payload: Payload, options: WriteOptions): Promise<void> {
  for (const path of payload.keys()) checkPath(path);
  const oldDir = await readlink(join(volumeDir, '..data')).catch(() => undefined);
  const newDir = `..${options.stamp}`;
  const target = join(volumeDir, newDir);
  await mkdir(target, { recursive: true });
  await chmod(target, 0o755);
  for (const [path, file] of payload) {
    const at = join(target, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, file.data, { mode: file.mode });
    // The process' umask has been applied: say it again.
    await chmod(at, groupMode(file.mode, options.gid));
    if (file.uid !== undefined || options.gid !== undefined) await chown(at, file.uid ?? 0, options.gid ?? 0);
  }
  if (options.gid !== undefined) await chown(target, 0, options.gid);
  await symlink(newDir, join(volumeDir, '..data_tmp'));
  await rename(join(volumeDir, '..data_tmp'), join(volumeDir, '..data'));
  await linkNames(volumeDir, payload, options.gid);
  if (oldDir && oldDir !== newDir) await rm(join(volumeDir, oldDir), { recursive: true, force: true });
}

/** With an fsGroup the group may read what the owner may. */
function groupMode(mode: number, gid: number | undefined): number {
  return gid === undefined ? mode : mode | 0o440;
}

async function linkNames(volumeDir: string, payload: Payload, gid: number | undefined): Promise<void> {
  const wanted = new Set([...payload.keys()].map((path) => path.split(sep)[0] as string));
  const present = (await readdir(volumeDir)).filter((name) => !name.startsWith('..'));
  for (const name of wanted) {
    if (present.includes(name)) continue;
    await symlink(join('..data', name), join(volumeDir, name));
    if (gid !== undefined) await lchown(join(volumeDir, name), 0, gid);
  }
  for (const name of present) if (!wanted.has(name)) await rm(join(volumeDir, name), { recursive: true, force: true });
}

function checkPath(path: string): void {
  const clean = normalize(path);
  if (path === '' || clean.startsWith('/') || clean.split(sep).includes('..') || clean.startsWith('..')) {
    throw new VolumeError(`invalid path "${path}": must be relative and must not contain or start with ".."`);
  }
}
