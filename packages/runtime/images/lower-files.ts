import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stats } from 'node:fs';

/**
 * What the layers below show at a path, as overlayfs would merge them. Never follows a symbolic link: a layer's link
 * must not lead to files of the host.
 */
export class LowerFiles {
  readonly #folders: readonly string[];

  /** `folders` topmost first. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  async find(path: string): Promise<{ path: string; stats: Stats } | undefined> {
    for (const folder of this.#folders) {
      const found = await lookUp(folder, path);
      if (found === 'hidden') return undefined;
      if (found) return found;
    }
    return undefined;
  }

  /** The names in a folder, merged. */
  async names(path: string): Promise<string[]> {
    const names = new Map<string, boolean>();
    for (const folder of this.#folders) {
      const found = await lookUp(folder, path);
      if (found === 'hidden') break;
      if (!found) continue;
      if (!found.stats.isDirectory()) break;
      for (const name of await readdir(found.path)) {
        if (!names.has(name)) names.set(name, !isWhiteout(await lstat(join(found.path, name))));
      }
    }
    return [...names].filter(([, visible]) => visible).map(([name]) => name);
  }
}

async function lookUp(folder: string, path: string): Promise<{ path: string; stats: Stats } | 'hidden' | undefined> {
  const parts = path.split('/').filter(Boolean);
  let current = folder;
  for (const [index, part] of parts.entries()) {
    current = join(current, part);
    const stats = await lstat(current).catch(() => undefined);
    if (!stats) return undefined;
    if (isWhiteout(stats)) return 'hidden';
    if (index === parts.length - 1) return { path: current, stats };
    if (!stats.isDirectory()) return 'hidden';
  }
  const stats = await lstat(current).catch(() => undefined);
  return stats && { path: current, stats };
}

/** Overlayfs hides a name by a character device 0/0. */
export function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}
