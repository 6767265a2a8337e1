import type { Component } from '@kubernode/machinery';
import { UserError } from '../terminal/user-error.ts';

/**
 * The parts of a cluster in the order in which they were started. When one does not start, those before it are stopped
 * in reverse, so that a failed start leaves nothing half made.
 */
export class Parts implements Component {
  readonly name = 'cluster';
  readonly #started: Component[] = [];
  readonly #onStep: (title: string) => void;

  constructor(onStep: (title: string) => void) {
    this.#onStep = onStep;
  }

  /** Runs one step of the start; what it answers is stopped with the rest. Throws UserError naming the step. */
  async start<T extends { stop(): Promise<void> }>(title: string, run: () => Promise<T>): Promise<T> {
    const part = await this.step(title, run);
    this.#started.push({ name: title, stop: () => part.stop() });
    return part;
  }

  /** A step that leaves nothing to stop. */
  async step<T>(title: string, run: () => Promise<T> | T): Promise<T> {
    this.#onStep(title);
    try {
      return await run();
    } catch (error) {
      await this.stop();
      if (error instanceof UserError) throw new UserError(`${title}: ${error.message}`, error.remedy, { cause: error });
      throw new UserError(`${title}: ${error instanceof Error ? error.message : String(error)}`, remedyFor(error), {
        cause: error,
      });
    }
  }

  /** Something to undo at the end that is not a component. */
  atEnd(name: string, undo: () => Promise<void> | void): void {
    this.#started.push({ name, stop: async () => undo() });
  }

  async stop(): Promise<void> {
    for (const part of this.#started.splice(0).toReversed()) await part.stop();
  }
}

/** What helps with failures of the system. */
function remedyFor(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'EADDRINUSE') return 'The port is taken by another program: choose another one with --secure-port.';
  if (code === 'EACCES' || code === 'EPERM') return 'Run it as root: sudo ./kubernode ...';
  if (code === 'ENOSPC') return 'The disk is full: make room, or choose a --data-dir on another one.';
  return undefined;
}
