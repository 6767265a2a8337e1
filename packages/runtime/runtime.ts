import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Cri, completeCri } from '@kubernode/api/cri';
import { type Component, systemClock } from '@kubernode/machinery';
import { hostCapabilities } from './containers/capabilities.ts';
import { Containers } from './containers/containers.ts';
import { Exits } from './containers/exits.ts';
import { OciRuntime } from './containers/oci-runtime.ts';
import { ownOomScoreAdj } from './containers/prepare.ts';
import type { RuntimeContext } from './context.ts';
import { createCri } from './cri.ts';
import { ContainerEvents } from './events.ts';
import { cgroupLayout, Cgroups } from './host/cgroups.ts';
import { checkHost, findOciRuntime, findProgram } from './host/check.ts';
import { createLimit } from './host/limit.ts';
import { unmountUnder } from './host/mounts.ts';
import { ImageStore } from './images/store.ts';
import type { RuntimeOptions } from './options.ts';
import { Sandboxes } from './sandboxes/sandboxes.ts';
import { Stats } from './stats.ts';
import { containerStatus, podSandboxStatus } from './status.ts';
import { nanoseconds } from './context.ts';
import { StreamServer } from './streams/server.ts';

/** A container runtime in this process. */
export type Runtime = Cri &
  Component & {
    readonly images: Pick<ImageStore, 'load' | 'pull' | 'list' | 'find' | 'remove'>;
    /** The same as `stop`: lets go of everything; containers keep running and the next `openRuntime` adopts them. */
    close(): Promise<void>;
    /** Removes all that the runtime made but images: processes, mounts, namespaces, cgroups. Then closes. */
    reset(): Promise<void>;
  };

/**
 * Opens the runtime on its folders: adopts the containers of an earlier process, even one that was killed, and undoes
 * what that one left half made. Throws where the host lacks what containers need (see `checkHost`).
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const parts = await openParts(options);
  const { context, containers, sandboxes, exits, streams } = parts;
  const cri = completeCri(createCri(parts));
  const close = async () => {
    exits.close();
    context.events.close();
    await streams.close();
  };
  return {
    ...cri,
    name: 'container-runtime',
    images: context.images,
    stop: close,
    close,
    reset: async () => {
      // One that resists must not keep the others.
      const failed = (what: string, id: string) => (error: Error) =>
        options.log.warn(`remove ${what} failed`, { id, error: error.message });
      for (const { id } of containers.list()) await containers.remove(id).catch(failed('container', id));
      for (const record of sandboxes.list()) await sandboxes.remove(record).catch(failed('sandbox', record.id));
      await close();
      await removeState(context);
    },
  };
}

async function openParts(options: RuntimeOptions) {
  const stateFolder = options.stateDir ?? join(options.root, 'state');
  const layout = await cgroupLayout();
  const ociPath = options.ociRuntime ?? (await findOciRuntime(layout));
  const [conmonPath, busyboxPath] = [await findProgram('conmon'), await findProgram('busybox')];
  if (!ociPath || !conmonPath) await refuseHost();
  await mkdir(options.root, { recursive: true, mode: 0o711 });
  await mkdir(stateFolder, { recursive: true, mode: 0o711 });
  const events = new ContainerEvents();
  const images = await ImageStore.open({
    folder: join(options.root, 'images'),
    log: options.log,
    registry: { insecureRegistries: options.insecureRegistries ?? [] },
    userOf: (imageId) => containers.list().find((record) => record.imageId === imageId)?.id,
  });
  const context: RuntimeContext = {
    rootFolder: options.root,
    stateFolder,
    clock: options.clock,
    log: options.log,
    podNetwork: options.podNetwork,
    oci: new OciRuntime(ociPath ?? '', join(stateFolder, 'oci')),
    cgroups: await Cgroups.detect(layout),
    images,
    events,
    startLimit: createLimit(Math.max(2, availableParallelism())),
    conmonPath: conmonPath ?? '',
    busyboxPath: busyboxPath ?? '/bin/busybox',
    hostCapabilities: await hostCapabilities(),
    ownOomScoreAdj: await ownOomScoreAdj(),
    cgroupParentDefault: options.cgroupRoot ?? '/kubernode',
  };
  const exits: Exits = new Exits(join(stateFolder, 'exits'), (id, exit) => {
    const told = containers.find(id)
      ? containers.exited(id, exit)
      : sandboxes.pauseEnded(id).then(() => exits.forget(id));
    told.catch((error: Error) => options.log.error('take in an exit', { container: id, error: error.message }));
  });
  const tell = (sandboxId: string, id: string, containerEventType: Parameters<typeof sandboxes.onChange>[1]) => {
    if (!events.hasReaders) return;
    const sandbox = sandboxes.find(sandboxId);
    const own = containers.list().filter((record) => record.sandboxId === sandboxId);
    events.emit({
      containerId: id,
      containerEventType,
      createdAt: nanoseconds(options.clock.now()),
      podSandboxStatus: sandbox && podSandboxStatus(sandbox),
      containersStatuses: own.map(containerStatus),
    });
  };
  const sandboxes = new Sandboxes(context, (record, type) => tell(record.id, record.id, type));
  const containers = new Containers(context, exits, (record, type) => tell(record.sandboxId, record.id, type));
  await exits.start();
  await sandboxes.restore();
  await containers.restore();
  await exits.prune((id) => containers.find(id) !== undefined);
  const stats = new Stats({ clock: options.clock, cgroups: context.cgroups, containers, sandboxes });
  const streams = await StreamServer.start({
    host: options.streamHost ?? '127.0.0.1',
    clock: options.clock,
    log: options.log,
  });
  return { context, exits, sandboxes, containers, stats, streams };
}

export type RuntimeParts = Awaited<ReturnType<typeof openParts>>;

async function refuseHost(): Promise<never> {
  const missing = (await checkHost()).filter((finding) => finding.level === 'error');
  const lines = missing.map(({ message, remedy }) => (remedy ? `${message} (${remedy})` : message));
  throw new Error(`open the container runtime: ${lines.join('; ')}`);
}

/** Folders that hold nothing any more; images stay. */
async function removeState(context: RuntimeContext): Promise<void> {
  await unmountUnder(context.stateFolder);
  await rm(context.stateFolder, { recursive: true, force: true });
  await rm(join(context.rootFolder, 'containers'), { recursive: true, force: true });
  await rm(join(context.rootFolder, 'pause'), { recursive: true, force: true });
}

/**
 * Removes all that a runtime made, images too, when it no longer runs. The network's own things are the network's to
 * remove. Throws where a container cannot be ended.
 */
export async function resetRuntime(options: Omit<RuntimeOptions, 'podNetwork' | 'clock'>): Promise<void> {
  const podNetwork = { attach: async () => ({ ips: [] }), detach: async () => {} };
  const runtime = await openRuntime({ ...options, podNetwork, clock: systemClock });
  await runtime.reset();
  if (options.cgroupRoot) await (await Cgroups.detect(await cgroupLayout())).remove(options.cgroupRoot);
  await rm(options.root, { recursive: true, force: true });
}
