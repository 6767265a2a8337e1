import { lstat, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HostPathVolumeSource } from '@kubernode/api/core/v1';
import { makeFolder } from '@kubernode/machinery';
import { VolumeError } from './payload.ts';

/** Checks (or makes) what a hostPath volume says is there. */
export async function prepareHostPath({ path, type = '' }: HostPathVolumeSource): Promise<void> {
  if (type === '') return;
  const found = await stat(path).catch(() => undefined);
  switch (type) {
    case 'DirectoryOrCreate':
      if (!found) await makeFolder(path, 0o755);
      else require(found.isDirectory(), path, 'a directory');
      return;
    case 'FileOrCreate':
      if (!found) await createFile(path);
      else require(found.isFile(), path, 'a file');
      return;
    case 'Directory':
      return require(found?.isDirectory() ?? false, path, 'a directory');
    case 'File':
      return require(found?.isFile() ?? false, path, 'a file');
    case 'Socket':
      return require(found?.isSocket() ?? false, path, 'a socket file');
    case 'CharDevice':
      return require(found?.isCharacterDevice() ?? false, path, 'a character device');
    case 'BlockDevice':
      return require(found?.isBlockDevice() ?? false, path, 'a block device');
  }
}

async function createFile(path: string): Promise<void> {
  // The folder must be there already, as upstream has it.
  if (!(await lstat(dirname(path)).catch(() => undefined))) {
    throw new VolumeError(`hostPath type check failed: ${dirname(path)} does not exist`);
  }
  await (await open(path, 'a', 0o644)).close();
}

function require(fits: boolean, path: string, what: string): void {
  if (!fits) throw new VolumeError(`hostPath type check failed: ${path} is not ${what}`);
}
