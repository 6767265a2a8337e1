import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from '@kubernode/machinery';
import { UserError } from '../terminal/user-error.ts';
import { dataDirAt, foreignNames, type DataDir } from './data-dir.ts';

/** The data folder, made where it is missing. Throws UserError where it cannot be made or written, or holds other things. */
export function openDataDir(path: string): DataDir {
  let isMade = false;
  try {
    isMade = makeFolderSync(path, 0o755);
    refuseForeign(path);
    for (const folder of ['pki', 'run', 'log', 'agent']) makeFolderSync(join(path, folder), 0o700);
    chmodSync(join(path, 'log'), 0o755);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const remedy =
      (error as NodeJS.ErrnoException).code === 'ENOSPC'
        ? 'The disk is full: make room, or choose another folder with --data-dir.'
        : 'Choose another folder with --data-dir, or run as root.';
    throw new UserError(`Cannot use the data folder ${path}: ${(error as Error).message}`, remedy, { cause: error });
  }
  return dataDirAt(path, isMade);
}

/** A folder that holds other things must not be taken for a cluster's: `reset` would remove them. */
function refuseForeign(path: string): void {
  const [foreign] = existsSync(join(path, 'cluster.json')) ? [] : foreignNames(path);
  if (foreign === undefined) return;
  throw new UserError(
    `The data folder ${path} holds other things already, such as ${JSON.stringify(foreign)}.`,
    'Choose a new or empty folder with --data-dir.',
  );
}
