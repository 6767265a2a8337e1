import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Exit {
  readonly code: number;
  readonly finishedAtMs: number;
}

/** The exit codes that conmon leaves as files, told as they appear (inotify). Each stays until `forget`. */
export class Exits {
  readonly folder: string;
  readonly #onExit: (id: string, exit: Exit) => void;
  #watcher: FSWatcher | undefined;

  constructor(folder: string, onExit: (id: string, exit: Exit) => void) {
    this.folder = folder;
    this.#onExit = onExit;
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.#watcher = watch(this.folder, (_, name) => {
      // Without a name the kernel's queue ran over: look at all.
      if (name === null) void this.#tellAll();
      else void this.#tell(name);
    });
  }

  close(): void {
    this.#watcher?.close();
  }

  async read(id: string): Promise<Exit | undefined> {
    const path = join(this.folder, id);
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
      return /^-?\d+\s*$/.test(text) ? { code: Number(text), finishedAtMs: mtimeMs } : undefined;
    } catch {
      return undefined;
    }
  }

  async forget(id: string): Promise<void> {
    await rm(join(this.folder, id), { force: true });
  }

  /** Drops what belongs to no container any more. */
  async prune(isKnown: (id: string) => boolean): Promise<void> {
    for (const name of await readdir(this.folder)) if (!isKnown(name)) await this.forget(name);
  }

  async #tell(name: string): Promise<void> {
    if (!/^[0-9a-f]{64}$/.test(name)) return;
    const exit = await this.read(name);
    if (exit) this.#onExit(name, exit);
  }

  async #tellAll(): Promise<void> {
    for (const name of await readdir(this.folder)) await this.#tell(name);
  }
}
