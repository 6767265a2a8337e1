import { dirname } from 'node:path';

/**
 * Makes a folder with those above it that are missing; answers whether it was missing. Node's own `recursive` never ends
 * where a file system says that something is missing though all above is there, as /proc does. Throws the system's error.
 */
export function makeFolderSync(path: string, mode: number): boolean {
  const { existsSync, mkdirSync, statSync } = process.getBuiltinModule('node:fs');
  const above = dirname(path);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isMissing(error)) {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
      throw error;
    }
    if (existsSync(above)) throw takesNone(above, error);
    makeFolderSync(above, mode);
    return makeFolderSync(path, mode);
  }
  return true;
}

/** The same without waiting for the file system. */
export async function makeFolder(path: string, mode: number): Promise<boolean> {
  const { mkdir, stat } = process.getBuiltinModule('node:fs/promises');
  const isFolder = async (at: string) => (await stat(at).catch(() => undefined))?.isDirectory() ?? false;
  const above = dirname(path);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!isMissing(error)) {
      if (await isFolder(path)) return false;
      throw error;
    }
    if (await isFolder(above)) throw takesNone(above, error);
    await makeFolder(above, mode);
    return makeFolder(path, mode);
  }
  return true;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const takesNone = (above: string, cause: unknown): Error =>
  Object.assign(new Error(`the file system of ${above} takes no new folders`, { cause }), { code: 'ENOENT' });
