import { setTimeout as delay } from 'node:timers/promises';
import type { Component, Logger } from '@kubernode/machinery';
import { UserError } from '../terminal/user-error.ts';

interface Undo {
  readonly name: string;
  run(): Promise<void> | void;
  /** Only a start that fails takes this back: a cluster that ran leaves it to the next start. */
  readonly onlyAfterFailure: boolean;
}

const stepMsMax = 5_000;

export interface StepOptions {
  /** The flag that chooses the port which the step listens on. */
  readonly portFlag?: string;
}

/**
 * The parts of a cluster in the order in which they were started. `stop` ends them in reverse; `takeBack` does so after
 * a start that failed, and undoes as well what that start left on the machine.
 */
export class Parts implements Component {
  readonly name = 'cluster';
  readonly #undos: Undo[] = [];
  readonly #log: Logger;
  readonly #onStep: (title: string) => void;
  #current: Promise<void> = Promise.resolve();
  #ended = false;

  constructor({ log, onStep }: { readonly log: Logger; readonly onStep: (title: string) => void }) {
    this.#log = log;
    this.#onStep = onStep;
  }

  /** Runs one step of the start; what it answers is stopped with the rest. Throws UserError naming the step. */
  start<T extends { stop(): Promise<void> }>(
    title: string,
    run: () => Promise<T>,
    options: StepOptions = {},
  ): Promise<T> {
    return this.#follow(this.#start(title, run, options));
  }

  /** A step that leaves nothing to stop. */
  step<T>(title: string, run: () => Promise<T> | T, options: StepOptions = {}): Promise<T> {
    return this.#follow(this.#step(title, run, options));
  }

  #follow<T>(step: Promise<T>): Promise<T> {
    this.#current = step.then(
      () => {},
      () => {},
    );
    return step;
  }

  async #start<T extends { stop(): Promise<void> }>(
    title: string,
    run: () => Promise<T>,
    options: StepOptions,
  ): Promise<T> {
    const part = await this.#step(title, run, options);
    // Came up while the others were stopped already.
    if (this.#ended) await part.stop();
    else this.atEnd(title, () => part.stop());
    return part;
  }

  async #step<T>(title: string, run: () => Promise<T> | T, { portFlag }: StepOptions): Promise<T> {
    if (this.#ended) throw new UserError(`${title}: the start was broken off.`);
    this.#onStep(title);
    try {
      return await run();
    } catch (error) {
      if (error instanceof UserError) throw new UserError(`${title}: ${error.message}`, error.remedy, { cause: error });
      const message = error instanceof Error ? error.message : String(error);
      throw new UserError(`${title}: ${message}`, remedyFor(error, portFlag), { cause: error });
    }
  }

  /** Something to undo at the end that is not a component. */
  atEnd(name: string, run: () => Promise<void> | void): void {
    this.#undos.push({ name, run, onlyAfterFailure: false });
  }

  /** Something that outlives a stop, but not a start that fails after this call. */
  afterFailure(name: string, run: () => Promise<void> | void): void {
    this.#undos.push({ name, run, onlyAfterFailure: true });
  }

  stop(): Promise<void> {
    return this.#undo(({ onlyAfterFailure }) => !onlyAfterFailure);
  }

  /** A step that is under way may still make things: it is waited for, but not for ever. */
  async takeBack(): Promise<void> {
    this.#ended = true;
    const tooLong = new AbortController();
    await Promise.race([this.#current, delay(stepMsMax, undefined, { signal: tooLong.signal }).catch(() => {})]);
    tooLong.abort();
    await this.#undo(() => true);
  }

  /** One that fails does not keep the others. */
  async #undo(isDue: (undo: Undo) => boolean): Promise<void> {
    this.#ended = true;
    for (const undo of this.#undos.splice(0).toReversed().filter(isDue)) {
      try {
        await undo.run();
      } catch (error) {
        this.#log.warn('Not stopped or taken back', { what: undo.name, error: String(error) });
      }
    }
  }
}

/** What helps with failures of the system; a failure may be wrapped in the words of a part. */
function remedyFor(error: unknown, portFlag: string | undefined): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, syscall = '' } = at as NodeJS.ErrnoException;
    if (syscall.startsWith('spawn'))
      return 'Kubernode needs this program: "kubernode setup" installs it, with its package.';
    if (code === 'EADDRINUSE') return remedyForPort(at, portFlag);
    if (code === 'EADDRNOTAVAIL') return 'This machine does not have that address: look at them with "ip address".';
    if (code === 'EACCES' || code === 'EPERM') return 'Run it as root: sudo ./kubernode ...';
    if (code === 'ENOSPC' || at.name === 'StoreFull') {
      return 'The disk is full: make room, or choose a --data-dir on another one.';
    }
  }
  return undefined;
}

function remedyForPort(error: Error, portFlag: string | undefined): string {
  const { port } = error as { port?: number };
  const taken = `Port ${port ?? ''} is taken by another program`.replace('  ', ' ');
  return portFlag
    ? `${taken}: choose another one with ${portFlag}, or end that program ("ss -ltnp" shows it).`
    : `${taken}: let it listen on its own addresses only, or end it ("ss -lntup" shows it).`;
}
