import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CriError, type CriMessage, type PodSandboxConfig } from '@kubernode/api/cri';
import type { RuntimeContext } from '../context.ts';
import { isPinnedNamespace, unmountUnder } from '../host/mounts.ts';
import { isAlive, signalProcess } from '../host/processes.ts';
import { pinNamespaces, type PinnedNamespace } from './namespaces.ts';
import { startPause } from './pause.ts';
import type { PodAttachment } from '@kubernode/api/cri';
import { readSandbox, type SandboxRecord, saveSandbox } from './record.ts';
import { writeSandboxFiles } from './files.ts';

const handlers = new Set(['', 'kubernode', 'runc', 'crun']);

/** The pod sandboxes of this machine: namespaces without a process, an address, files for /etc. */
export class Sandboxes {
  readonly #context: RuntimeContext;
  readonly #records = new Map<string, SandboxRecord>();
  /** Says that a sandbox changed: `CONTAINER_STARTED_EVENT` and so on. */
  readonly onChange: (record: SandboxRecord, type: CriMessage<'ContainerEventResponse'>['containerEventType']) => void;

  constructor(context: RuntimeContext, onChange: Sandboxes['onChange']) {
    this.#context = context;
    this.onChange = onChange;
  }

  folder(id: string): string {
    return join(this.#context.stateFolder, 'sandboxes', id);
  }

  list(): SandboxRecord[] {
    return [...this.#records.values()];
  }

  find(id: string): SandboxRecord | undefined {
    return this.#records.get(id) ?? onlyPrefix(this.#records, id);
  }

  get(id: string): SandboxRecord {
    const record = this.find(id);
    if (!record) throw new CriError('NotFound', `an error occurred when try to find sandbox "${id}": not found`);
    return record;
  }

  /** Adopts what an earlier process left; a half-made sandbox is undone. */
  async restore(): Promise<void> {
    const parent = this.folder('');
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const id of await readdir(parent)) {
      const record = await readSandbox(this.folder(id));
      if (!record || record.state === 'creating') {
        if (record) await this.#release(record);
        await this.#removeFolder(id);
        continue;
      }
      this.#records.set(id, record);
      if (record.state === 'ready' && !(await this.#stands(record))) await this.#markNotReady(record);
    }
  }

  /** Answers once the sandbox has its namespaces and addresses; undone as a whole where a step fails. */
  async run(config: PodSandboxConfig, runtimeHandler: string): Promise<SandboxRecord> {
    if (!handlers.has(runtimeHandler)) {
      throw new CriError('NotFound', `failed to get sandbox runtime: no runtime for "${runtimeHandler}" is configured`);
    }
    const options = config.linux?.securityContext?.namespaceOptions;
    if (options?.usernsOptions?.mode === 'POD') {
      throw new CriError('Unimplemented', 'user namespaces (hostUsers: false) are not supported by this runtime');
    }
    const namespaces: PinnedNamespace[] = [];
    if (options?.network !== 'NODE') namespaces.push('net', 'uts');
    if (options?.ipc !== 'NODE') namespaces.push('ipc');
    const record: SandboxRecord = {
      id: randomBytes(32).toString('hex'),
      config,
      runtimeHandler,
      createdAtMs: this.#context.clock.now(),
      namespaces,
      hostname: namespaces.includes('uts') ? config.hostname || 'localhost' : hostname(),
      state: 'creating',
      ips: [],
    };
    try {
      await this.#make(record);
    } catch (error) {
      const warn = (failure: Error) => this.#warn('undo sandbox', record, failure);
      await this.#release(record).catch(warn);
      await this.#removeFolder(record.id).catch(warn);
      throw error;
    }
    return record;
  }

  /** Gives the network back and ends the namespaces; the record stays. Idempotent. */
  async stop(record: SandboxRecord): Promise<void> {
    const wasReady = record.state === 'ready';
    await this.#release(record);
    if (wasReady) await this.#markNotReady(record);
  }

  async remove(record: SandboxRecord): Promise<void> {
    await this.stop(record);
    this.#records.delete(record.id);
    await this.#removeFolder(record.id);
    if (record.cgroupMade) await this.#removeCgroups(record);
    this.onChange(record, 'CONTAINER_DELETED_EVENT');
  }

  /** The process that held a shared process namespace is gone. */
  async pauseEnded(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record?.state === 'ready') await this.#markNotReady(record);
  }

  /** The path of a pinned namespace, or `host` where the sandbox stays in the host's. */
  namespacePath(record: SandboxRecord, namespace: PinnedNamespace): string {
    return record.namespaces.includes(namespace) ? join(this.folder(record.id), namespace) : 'host';
  }

  cgroupParent(record: SandboxRecord): string {
    const parent = record.config.linux?.cgroupParent || this.#context.cgroupParentDefault;
    return parent.startsWith('/') ? parent : `/${parent}`;
  }

  async #make(record: SandboxRecord): Promise<void> {
    const { config, id } = record;
    const parent = this.cgroupParent(record);
    if (parent.includes('.slice:') || parent.endsWith('.slice')) {
      throw new CriError(
        'InvalidArgument',
        `cgroup parent "${parent}" is systemd's: set the kubelet's cgroup driver to cgroupfs`,
      );
    }
    await mkdir(this.folder(id), { recursive: true, mode: 0o711 });
    record.cgroupMade = await this.#context.cgroups.missingAncestor(parent);
    await saveSandbox(this.folder(id), record);
    const security = config.linux?.securityContext;
    // Both are waited for, whatever becomes of one: an undo must not run into the other.
    const steps = await Promise.allSettled([
      writeSandboxFiles(this.folder(id), record),
      this.#context.startLimit(() =>
        pinNamespaces({
          folder: this.folder(id),
          namespaces: record.namespaces,
          hostname: record.hostname,
          sysctls: config.linux?.sysctls ?? {},
        }),
      ),
    ]);
    for (const step of steps) if (step.status === 'rejected') throw step.reason;
    if (record.namespaces.includes('net')) {
      record.ips = (await this.#context.podNetwork.attach(this.#attachment(record))).ips;
    }
    if (security?.namespaceOptions?.pid === 'POD') {
      record.pause = await startPause(this.#context, {
        id,
        folder: join(this.folder(id), 'pause'),
        namespaces: {
          network: this.namespacePath(record, 'net'),
          ipc: this.namespacePath(record, 'ipc'),
          uts: this.namespacePath(record, 'uts'),
        },
        cgroupsPath: `${parent}/${id}`,
      });
    }
    record.state = 'ready';
    await saveSandbox(this.folder(id), record);
    this.#records.set(id, record);
    this.onChange(record, 'CONTAINER_CREATED_EVENT');
    this.onChange(record, 'CONTAINER_STARTED_EVENT');
  }

  async #release(record: SandboxRecord): Promise<void> {
    if (record.pause) await signalProcess(record.pause, 9);
    if (record.config.linux?.securityContext?.namespaceOptions?.pid === 'POD')
      await this.#context.oci.delete(record.id);
    if (record.namespaces.includes('net')) await this.#context.podNetwork.detach(this.#attachment(record));
    await unmountUnder(this.folder(record.id));
  }

  async #stands(record: SandboxRecord): Promise<boolean> {
    const pins = record.namespaces.map((name) => isPinnedNamespace(join(this.folder(record.id), name)));
    if ((await Promise.all(pins)).includes(false)) return false;
    return record.pause === undefined || isAlive(record.pause);
  }

  async #markNotReady(record: SandboxRecord): Promise<void> {
    record.state = 'notReady';
    await saveSandbox(this.folder(record.id), record);
    this.onChange(record, 'CONTAINER_STOPPED_EVENT');
  }

  async #removeFolder(id: string): Promise<void> {
    await unmountUnder(this.folder(id));
    await rm(this.folder(id), { recursive: true, force: true });
  }

  /** The parent that came into being with this sandbox; another sandbox that uses it takes it over. */
  async #removeCgroups(record: SandboxRecord): Promise<void> {
    const made = record.cgroupMade ?? '';
    const heir = this.list().find((other) => other !== record && `${this.cgroupParent(other)}/`.startsWith(`${made}/`));
    if (!heir) return this.#context.cgroups.remove(made);
    if (heir.cgroupMade && made.startsWith(heir.cgroupMade)) return;
    heir.cgroupMade = made;
    await saveSandbox(this.folder(heir.id), heir);
  }

  #attachment(record: SandboxRecord): PodAttachment {
    const { name = '', namespace = '', uid = '' } = record.config.metadata ?? {};
    return {
      sandboxId: record.id,
      netnsPath: join(this.folder(record.id), 'net'),
      pod: { name, namespace, uid },
      portMappings: record.config.portMappings,
    };
  }

  #warn(what: string, record: SandboxRecord, error: Error): void {
    this.#context.log.warn(`${what} failed`, { sandbox: record.id, error: error.message });
  }
}

/** CRI lets callers shorten an identity as long as one alone fits. */
export function onlyPrefix<Value>(records: ReadonlyMap<string, Value>, prefix: string): Value | undefined {
  if (prefix === '') return undefined;
  const fits = [...records].filter(([id]) => id.startsWith(prefix));
  return fits.length === 1 ? fits[0]?.[1] : undefined;
}
