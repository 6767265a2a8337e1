import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerConfig, CriError } from '@kubernode/api/cri';
import type { RuntimeContext } from '../context.ts';
import { mountOverlay } from '../host/mounts.ts';
import { LowerFiles } from '../images/lower-files.ts';
import type { ImageRecord } from '../images/store.ts';
import { sandboxFiles } from '../sandboxes/files.ts';
import type { SandboxRecord } from '../sandboxes/record.ts';
import type { Sandboxes } from '../sandboxes/sandboxes.ts';
import type { Containers } from './containers.ts';
import { containerDevices } from './devices.ts';
import { allMounts, rootPropagation, systemMounts } from './mounts.ts';
import type { ContainerRecord } from './record.ts';
import { localSeccomp } from './seccomp.ts';
import { stopSignal } from './signals.ts';
import { ociSpec, type SpecNamespaces } from './spec.ts';
import { readAccounts, resolveUser } from './user.ts';

/**
 * Makes a container ready to start: its root (the image's layers and a writable one), its OCI configuration, its record.
 * No process yet. Undone as a whole where a step fails.
 */
export async function prepareContainer(
  parts: { readonly context: RuntimeContext; readonly sandboxes: Sandboxes; readonly containers: Containers },
  sandbox: SandboxRecord,
  config: ContainerConfig,
): Promise<ContainerRecord> {
  const { context, sandboxes, containers } = parts;
  if (sandbox.state !== 'ready') {
    throw new CriError('FailedPrecondition', `sandbox container "${sandbox.id}" is not running`);
  }
  if (config.CDIDevices.length > 0)
    throw new CriError('Unimplemented', 'CDI devices are not supported by this runtime');
  const image = context.images.find(config.image?.image ?? '');
  if (!image) throw new CriError('NotFound', `failed to resolve image "${config.image?.image}": not found`);
  const id = randomBytes(32).toString('hex');
  const layers = image.layers.map((layer) => join(context.images.layersFolder, layer)).reverse();
  const user = resolveUser(
    image.config.config?.User ?? '',
    config.linux?.securityContext,
    await readAccounts(new LowerFiles(layers)),
  );
  const record: ContainerRecord = {
    id,
    sandboxId: sandbox.id,
    config,
    imageId: image.id,
    imageRef: image.digests[0] ?? image.id,
    imageName: image.tags[0] ?? image.digests[0] ?? image.id,
    user,
    cgroupsPath: `${sandboxes.cgroupParent(sandbox)}/${id}`,
    logPath: config.logPath && join(sandbox.config.logDirectory, config.logPath),
    stopSignal: stopSignal(config.stopSignal, image.config.config?.StopSignal),
    createdAtMs: context.clock.now(),
    life: 'created',
    startedAtMs: 0,
    finishedAtMs: 0,
    exitCode: 0,
    reason: '',
    message: '',
    cleaned: false,
  };
  try {
    const spec = await specOf(parts, sandbox, record, image);
    await makeRoot(context, containers, record, image);
    await writeFile(join(containers.folder(id), 'config.json'), JSON.stringify(spec));
    await containers.add(record);
  } catch (error) {
    await containers.discard(id);
    throw error;
  }
  return record;
}

async function makeRoot(
  context: RuntimeContext,
  containers: Containers,
  record: ContainerRecord,
  image: ImageRecord,
): Promise<void> {
  const folder = containers.folder(record.id);
  const data = containers.dataFolder(record.id);
  const [upper, work, target] = [join(data, 'upper'), join(data, 'work'), join(folder, 'rootfs')];
  for (const path of [upper, work, target]) await mkdir(path, { recursive: true, mode: 0o755 });
  if (image.layers.length === 0) throw new CriError('InvalidArgument', `image "${record.imageName}" has no layers`);
  const { layersFolder } = context.images;
  const lower = [...image.layers].reverse();
  await context.startLimit(() => mountOverlay({ layersFolder, lower, upper, work, target }));
}

async function specOf(
  parts: { readonly context: RuntimeContext; readonly sandboxes: Sandboxes; readonly containers: Containers },
  sandbox: SandboxRecord,
  record: ContainerRecord,
  image: ImageRecord,
): Promise<Record<string, unknown>> {
  const { context, sandboxes, containers } = parts;
  const { config } = record;
  const security = config.linux?.securityContext;
  const privileged = security?.privileged ?? false;
  const { devices, rules } = await containerDevices(config.devices, privileged);
  const seccomp = security?.seccomp;
  const files = sandboxFiles(sandboxes.folder(sandbox.id), sandbox);
  return ociSpec({
    config,
    image: image.config,
    user: record.user,
    rootPath: join(containers.folder(record.id), 'rootfs'),
    hostname: sandbox.hostname,
    namespaces: {
      network: sandboxes.namespacePath(sandbox, 'net'),
      ipc: sandboxes.namespacePath(sandbox, 'ipc'),
      uts: sandboxes.namespacePath(sandbox, 'uts'),
      pid: pidNamespace(parts.containers, sandbox, config),
    } satisfies SpecNamespaces,
    mounts: await allMounts(systemMounts({ privileged, files }), config.mounts),
    rootPropagation: rootPropagation(config.mounts),
    devices,
    deviceRules: rules,
    cgroupsPath: record.cgroupsPath,
    cgroupVersion: context.cgroups.version,
    hostCapabilities: context.hostCapabilities,
    ownOomScoreAdj: context.ownOomScoreAdj,
    localSeccomp:
      seccomp?.profileType === 'Localhost' && !privileged ? await localSeccomp(seccomp.localhostRef) : undefined,
  });
}

function pidNamespace(containers: Containers, sandbox: SandboxRecord, config: ContainerConfig): string {
  const options = config.linux?.securityContext?.namespaceOptions;
  if (options?.pid === 'NODE') return 'host';
  if (options?.pid === 'POD') return sandbox.pause ? `/proc/${sandbox.pause.pid}/ns/pid` : 'new';
  if (options?.pid !== 'TARGET') return 'new';
  const target = containers.running(options.targetId);
  return `/proc/${target.process?.pid}/ns/pid`;
}

/** This process's own score: what it starts cannot go below it without CAP_SYS_RESOURCE. */
export async function ownOomScoreAdj(): Promise<number> {
  return Number(await readFile('/proc/self/oom_score_adj', 'utf8').catch(() => '0'));
}
