import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { FileMissing } from './sqlite-errors.ts';

/**
 * Remembers which files these are; the answer throws FileMissing where others stand in their places, or none. An open
 * file that was removed can be written as before, and is lost with the process.
 */
export function followFiles(paths: readonly string[]): () => void {
  const files = paths.map((path) => ({ path, ...identityOf(path) }));
  return () => {
    for (const { path, device, inode } of files) {
      const now = identityOf(path);
      if (now.inode !== inode || now.device !== device) throw new FileMissing(basename(path));
    }
  };
}

function identityOf(path: string): { readonly device: number; readonly inode: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { device: found?.dev ?? 0, inode: found?.ino ?? 0 };
}
