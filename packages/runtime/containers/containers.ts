import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CriError, type CriMessage } from '@kubernode/api/cri';
import type { RuntimeContext } from '../context.ts';
import { readText } from '../host/files.ts';
import { createKeyedQueue } from '../host/limit.ts';
import { unmountUnder } from '../host/mounts.ts';
import { identifyProcess, isAlive, signalProcess } from '../host/processes.ts';
import { onlyPrefix } from '../sandboxes/sandboxes.ts';
import { conmonPid, createWithConmon } from './conmon.ts';
import type { Exit, Exits } from './exits.ts';
import { type ContainerRecord, readContainer, saveContainer } from './record.ts';
import { waitForExit } from './wait.ts';

const killSignal = 9;
/** How long a killed process may take to be gone before its container is given up as lost. */
const killTimeoutMs = 10_000;
/** What containerd and Docker answer for a container that could not be started. */
const startErrorCode = 128;
/** The exit code of a container whose end nobody saw. */
const unknownCode = 255;

export type ContainerChange = CriMessage<'ContainerEventResponse'>['containerEventType'];

/** The life of containers from `created` to removed. The steps of one container follow each other; see `record.ts`. */
export class Containers {
  readonly #context: RuntimeContext;
  readonly #exits: Exits;
  readonly #onChange: (record: ContainerRecord, type: ContainerChange) => void;
  readonly #records = new Map<string, ContainerRecord>();
  readonly #queue = createKeyedQueue();
  readonly #exitWaiters = new Map<string, Set<() => void>>();

  constructor(
    context: RuntimeContext,
    exits: Exits,
    onChange: (record: ContainerRecord, type: ContainerChange) => void,
  ) {
    this.#context = context;
    this.#exits = exits;
    this.#onChange = onChange;
  }

  /** The OCI bundle: configuration, root, sockets. */
  folder(id: string): string {
    return join(this.#context.stateFolder, 'containers', id);
  }

  /** The writable layer. */
  dataFolder(id: string): string {
    return join(this.#context.rootFolder, 'containers', id);
  }

  list(): ContainerRecord[] {
    return [...this.#records.values()];
  }

  find(id: string): ContainerRecord | undefined {
    return this.#records.get(id) ?? onlyPrefix(this.#records, id);
  }

  get(id: string): ContainerRecord {
    const record = this.find(id);
    if (!record) throw new CriError('NotFound', `an error occurred when try to find container "${id}": not found`);
    return record;
  }

  /** The record of a container that runs; throws FailedPrecondition for any other. */
  running(id: string): ContainerRecord {
    const record = this.get(id);
    if (record.life === 'running') return record;
    throw new CriError('FailedPrecondition', `container "${record.id}" is in ${criState(record)} state`);
  }

  /** Adopts what an earlier process left; what was half made is undone, exit codes are caught up with. */
  async restore(): Promise<void> {
    const parent = this.folder('');
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const id of await readdir(parent)) {
      const record = await readContainer(this.folder(id));
      if (record) this.#records.set(id, record);
      else await this.#erase(id);
    }
    await Promise.all(this.list().map((record) => this.#queue(record.id, () => this.#adopt(record))));
  }

  /** Takes in a prepared container. */
  async add(record: ContainerRecord): Promise<void> {
    await saveContainer(this.folder(record.id), record);
    this.#records.set(record.id, record);
    this.#onChange(record, 'CONTAINER_CREATED_EVENT');
  }

  /** Undoes a container that could not be prepared. */
  async discard(id: string): Promise<void> {
    await this.#erase(id);
  }

  async start(id: string): Promise<void> {
    const record = this.get(id);
    await this.#queue(record.id, async () => {
      if (record.life !== 'created') {
        throw new CriError('FailedPrecondition', `container "${record.id}" is in ${criState(record)} state`);
      }
      record.life = 'starting';
      try {
        await this.#save(record);
        await this.#context.startLimit(() => this.#launch(record));
      } catch (error) {
        const message = (error as Error).message;
        record.startedAtMs = 0;
        await this.#ended(
          record,
          { code: startErrorCode, finishedAtMs: this.#context.clock.now() },
          'StartError',
          message,
        );
        throw new CriError('Unknown', message, { cause: error });
      }
      record.life = 'running';
      await this.#save(record);
      this.#onChange(record, 'CONTAINER_STARTED_EVENT');
    });
  }

  /** Asks the process to end, and kills it after the grace; answers when it is gone. Idempotent. */
  async stop(id: string, graceMs: number): Promise<void> {
    const record = this.find(id);
    if (!record) return;
    // A start that is under way comes first.
    await this.#queue(record.id, async () => {});
    if (!record.process || record.life === 'exited') return;
    if (graceMs > 0) {
      await signalProcess(record.process, record.stopSignal);
      if (await this.#waitForExit(record, graceMs)) return;
    }
    await this.#killAll(record);
    if (await this.#waitForExit(record, killTimeoutMs)) return;
    if (await isAlive(record.process)) {
      throw new CriError('DeadlineExceeded', `kill container "${record.id}": it still runs after ${killTimeoutMs} ms`);
    }
    // Its supervisor is gone, too: nobody will tell.
    const exit = { code: 128 + killSignal, finishedAtMs: this.#context.clock.now() };
    await this.#queue(record.id, () => this.#ended(record, exit));
  }

  async remove(id: string): Promise<void> {
    const record = this.find(id);
    if (!record) return;
    await this.stop(record.id, 0);
    await this.#queue(record.id, async () => {
      await this.#cleanUp(record);
      await this.#erase(record.id);
      this.#records.delete(record.id);
      this.#onChange(record, 'CONTAINER_DELETED_EVENT');
    });
  }

  /** conmon has written an exit code. */
  async exited(id: string, exit: Exit): Promise<void> {
    const record = this.#records.get(id);
    if (!record) return;
    await this.#queue(id, () => this.#ended(record, exit));
  }

  async save(record: ContainerRecord): Promise<void> {
    await this.#queue(record.id, () => this.#save(record));
  }

  async #launch(record: ContainerRecord): Promise<void> {
    const { config } = record;
    if (record.logPath) await mkdir(dirname(record.logPath), { recursive: true });
    const prefix = 'OCI runtime create failed: ';
    const pid = await createWithConmon({
      path: this.#context.conmonPath,
      id: record.id,
      name: config.metadata?.name ?? '',
      bundle: this.folder(record.id),
      exitFolder: this.#exits.folder,
      logPath: record.logPath || '/dev/null',
      tty: config.tty,
      stdin: config.stdin,
      stdinOnce: config.stdinOnce,
      oci: this.#context.oci,
    }).catch((error: Error) => {
      throw new Error(`${prefix}${error.message}`, { cause: error });
    });
    record.process = await identifyProcess(pid);
    record.startedAtMs = this.#context.clock.now();
    await this.#save(record);
    await this.#context.oci.start(record.id);
  }

  async #adopt(record: ContainerRecord): Promise<void> {
    if (record.life === 'created') return;
    if (record.life === 'exited') return record.cleaned ? undefined : this.#cleanUp(record);
    const exit = await this.#exits.read(record.id);
    if (exit) return this.#ended(record, exit);
    const alive = record.process !== undefined && (await isAlive(record.process));
    if (record.life === 'starting') {
      if (alive && (await this.#context.oci.status(record.id)) === 'running') {
        record.life = 'running';
        return this.#save(record);
      }
      const message = 'the runtime ended while the container was starting';
      return this.#ended(
        record,
        { code: startErrorCode, finishedAtMs: this.#context.clock.now() },
        'StartError',
        message,
      );
    }
    if (alive || (await this.#supervised(record))) return;
    const message = 'the container ended while nobody watched it';
    await this.#ended(record, { code: unknownCode, finishedAtMs: this.#context.clock.now() }, 'Unknown', message);
  }

  /** conmon is still there and will write the exit code. */
  async #supervised(record: ContainerRecord): Promise<boolean> {
    const pid = await conmonPid(this.folder(record.id));
    const process = pid === undefined ? undefined : await identifyProcess(pid);
    return process !== undefined && (await this.#exits.read(record.id)) === undefined && isConmon(process.pid);
  }

  async #ended(record: ContainerRecord, exit: Exit, reason?: string, message = ''): Promise<void> {
    if (record.life === 'exited') return;
    const outOfMemory = exit.code !== 0 && (await this.#context.cgroups.oomKills(record.cgroupsPath)) > 0;
    record.life = 'exited';
    record.exitCode = exit.code;
    record.finishedAtMs = exit.finishedAtMs;
    record.reason = reason ?? (outOfMemory ? 'OOMKilled' : exit.code === 0 ? 'Completed' : 'Error');
    record.message = message;
    // A full disk must not hide the end from those who wait; a restart reads it from the exit file.
    await this.#save(record).catch((error: Error) => this.#warn('save container', record, error));
    for (const wake of this.#exitWaiters.get(record.id) ?? []) wake();
    this.#onChange(record, 'CONTAINER_STOPPED_EVENT');
    await this.#cleanUp(record).catch((error: Error) => this.#warn('clean up after container', record, error));
  }

  #warn(what: string, record: ContainerRecord, error: Error): void {
    this.#context.log.warn(`${what} failed`, { container: record.id, error: error.message });
  }

  /** Ends what is left of the processes, the cgroup and the mounts. */
  async #cleanUp(record: ContainerRecord): Promise<void> {
    if (record.process || record.life !== 'created') await this.#context.oci.delete(record.id);
    await this.#context.cgroups.remove(record.cgroupsPath);
    await unmountUnder(this.folder(record.id));
    record.cleaned = true;
    await this.#save(record);
    await this.#exits.forget(record.id);
  }

  async #erase(id: string): Promise<void> {
    await unmountUnder(this.folder(id));
    await rm(this.dataFolder(id), { recursive: true, force: true });
    await rm(this.folder(id), { recursive: true, force: true });
  }

  /** All processes of the cgroup: without a namespace of its own the first one's end does not end the others. */
  async #killAll(record: ContainerRecord): Promise<void> {
    if (record.process) await signalProcess(record.process, killSignal);
    for (const pid of await this.#context.cgroups.processes(record.cgroupsPath)) {
      const process = await identifyProcess(pid);
      if (process) await signalProcess(process, killSignal);
    }
  }

  #waitForExit(record: ContainerRecord, timeoutMs: number): Promise<boolean> {
    if (record.life === 'exited') return Promise.resolve(true);
    return waitForExit(this.#context.clock, this.#exitWaiters, record.id, timeoutMs);
  }

  async #save(record: ContainerRecord): Promise<void> {
    await saveContainer(this.folder(record.id), record);
  }
}

export function criState(record: ContainerRecord): CriMessage<'ContainerStatus'>['state'] {
  if (record.life === 'running') return 'CONTAINER_RUNNING';
  return record.life === 'exited' ? 'CONTAINER_EXITED' : 'CONTAINER_CREATED';
}

async function isConmon(pid: number): Promise<boolean> {
  return (await readText(`/proc/${pid}/comm`)).trim() === 'conmon';
}
