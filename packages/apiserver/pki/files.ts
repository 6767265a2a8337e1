import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where keys and certificates are kept between two starts: named texts. */
export interface PkiFiles {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
}

/** Kept in memory only: for tests and for clusters that end with their process. */
export function memoryFiles(): PkiFiles {
  const texts = new Map<string, string>();
  return { read: (name) => texts.get(name), write: (name, text) => void texts.set(name, text) };
}

/** A folder that only its owner may enter; a file is there whole or not at all, readable by its owner only. */
export function folderFiles(folder: string): PkiFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    read(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(name, text) {
      const partial = join(folder, `.${name}.${process.pid}`);
      writeFileSync(partial, text, { mode: 0o600, flush: true });
      renameSync(partial, join(folder, name));
    },
  };
}
