import { CriError, type CriImplementation } from '@kubernode/api/cri';
import { reopenLog } from './containers/conmon.ts';
import { criState } from './containers/containers.ts';
import { execSync } from './containers/exec-sync.ts';
import { prepareContainer } from './containers/prepare.ts';
import { ociResources } from './containers/resources.ts';
import { nanoseconds } from './context.ts';
import { credentialsOf } from './images/registry-auth.ts';
import type { RuntimeParts } from './runtime.ts';
import { container, containerStatus, hasLabels, image, podSandbox, podSandboxStatus, sandboxState } from './status.ts';
import { streamMethods } from './streams/methods.ts';

const runtimeVersion = '0.1.0';

/** The calls of CRI v1 in terms of the runtime's parts. */
export function createCri(parts: RuntimeParts): CriImplementation {
  return {
    ...aboutRuntime(parts),
    ...sandboxMethods(parts),
    ...containerMethods(parts),
    ...statsMethods(parts),
    ...imageMethods(parts),
    ...streamMethods(parts),
  };
}

function aboutRuntime({ context }: RuntimeParts) {
  return {
    version: async () => ({
      version: '0.1.0',
      runtimeName: 'kubernode',
      runtimeVersion,
      runtimeApiVersion: 'v1',
    }),
    status: async () => ({
      status: {
        conditions: [
          { type: 'RuntimeReady', status: true },
          { type: 'NetworkReady', status: true },
        ],
      },
      runtimeHandlers: ['', 'kubernode'].map((name) => ({
        name,
        features: { recursiveReadOnlyMounts: true, userNamespaces: false },
      })),
      features: { supplementalGroupsPolicy: true },
    }),
    updateRuntimeConfig: async () => ({}),
    runtimeConfig: async () => ({ linux: { cgroupDriver: 'CGROUPFS' } }),
    getContainerEvents: (_request, options) => context.events.read(options?.signal),
  } satisfies Partial<CriImplementation>;
}

function sandboxMethods({ sandboxes, containers, context }: RuntimeParts) {
  const membersOf = (sandboxId: string) => containers.list().filter((record) => record.sandboxId === sandboxId);
  return {
    runPodSandbox: async ({ config, runtimeHandler }) => {
      if (!config?.metadata) throw new CriError('InvalidArgument', 'sandbox config must include metadata');
      return { podSandboxId: (await sandboxes.run(config, runtimeHandler)).id };
    },
    stopPodSandbox: async ({ podSandboxId }) => {
      const record = sandboxes.find(podSandboxId);
      if (!record) return {};
      await Promise.all(membersOf(record.id).map(({ id }) => containers.stop(id, 0)));
      await sandboxes.stop(record);
      return {};
    },
    removePodSandbox: async ({ podSandboxId }) => {
      const record = sandboxes.find(podSandboxId);
      if (!record) return {};
      await Promise.all(membersOf(record.id).map(({ id }) => containers.remove(id)));
      await sandboxes.remove(record);
      return {};
    },
    podSandboxStatus: async ({ podSandboxId, verbose }) => {
      const record = sandboxes.get(podSandboxId);
      return {
        status: podSandboxStatus(record),
        containersStatuses: membersOf(record.id).map(containerStatus),
        timestamp: nanoseconds(context.clock.now()),
        info: verbose
          ? { info: JSON.stringify({ pid: record.pause?.pid, netns: sandboxes.namespacePath(record, 'net') }) }
          : {},
      };
    },
    listPodSandbox: async ({ filter }) => ({
      items: sandboxes
        .list()
        .filter((record) => !filter?.id || record.id.startsWith(filter.id))
        .filter((record) => !filter?.state || sandboxState(record) === filter.state.state)
        .filter((record) => hasLabels(record.config.labels, filter?.labelSelector))
        .map(podSandbox),
    }),
    updatePodSandboxResources: async ({ podSandboxId }) => {
      sandboxes.get(podSandboxId);
      return {};
    },
  } satisfies Partial<CriImplementation>;
}

function containerMethods(parts: RuntimeParts) {
  const { containers, sandboxes, context, stats } = parts;
  return {
    createContainer: async ({ podSandboxId, config }) => {
      if (!config?.metadata) throw new CriError('InvalidArgument', 'container config must include metadata');
      return { containerId: (await prepareContainer(parts, sandboxes.get(podSandboxId), config)).id };
    },
    startContainer: async ({ containerId }) => {
      await containers.start(containerId);
      return {};
    },
    stopContainer: async ({ containerId, timeout }) => {
      await containers.stop(containerId, Math.max(0, timeout) * 1000);
      return {};
    },
    removeContainer: async ({ containerId }) => {
      await containers.remove(containerId);
      stats.forget(containerId);
      return {};
    },
    listContainers: async ({ filter }) => ({
      containers: containers
        .list()
        .filter((record) => !filter?.id || record.id.startsWith(filter.id))
        .filter((record) => !filter?.podSandboxId || record.sandboxId.startsWith(filter.podSandboxId))
        .filter((record) => !filter?.state || criState(record) === filter.state.state)
        .filter((record) => hasLabels(record.config.labels, filter?.labelSelector))
        .map(container),
    }),
    containerStatus: async ({ containerId, verbose }) => {
      const record = containers.get(containerId);
      const { process, sandboxId } = record;
      const info = { sandboxID: sandboxId, pid: process?.pid ?? 0, removing: false };
      return { status: containerStatus(record), info: verbose ? { info: JSON.stringify(info) } : {} };
    },
    updateContainerResources: async ({ containerId, linux }) => {
      const record = containers.get(containerId);
      if (!linux || record.life === 'exited') return {};
      if (record.life === 'running') {
        const resources = ociResources(linux, context.cgroups.version);
        await context.oci.update(record.id, containers.folder(record.id), resources);
      }
      const own = record.config.linux ?? {};
      record.config = { ...record.config, linux: { ...own, resources: linux } };
      await containers.save(record);
      return {};
    },
    reopenContainerLog: async ({ containerId }) => {
      const record = containers.running(containerId);
      await reopenLog(containers.folder(record.id));
      return {};
    },
    execSync: async ({ containerId, cmd, timeout }, options) => {
      const record = containers.running(containerId);
      return execSync({
        oci: context.oci,
        containerId: record.id,
        bundle: containers.folder(record.id),
        command: cmd,
        timeoutMs: timeout * 1000,
        clock: context.clock,
        signal: options?.signal,
      });
    },
  } satisfies Partial<CriImplementation>;
}

function statsMethods({ containers, sandboxes, stats }: RuntimeParts) {
  return {
    containerStats: async ({ containerId }) => ({ stats: await stats.container(containers.get(containerId)) }),
    listContainerStats: async ({ filter }) => {
      const chosen = containers
        .list()
        .filter((record) => record.life === 'running' && (!filter?.id || record.id.startsWith(filter.id)))
        .filter((record) => !filter?.podSandboxId || record.sandboxId.startsWith(filter.podSandboxId))
        .filter((record) => hasLabels(record.config.labels, filter?.labelSelector));
      return { stats: await Promise.all(chosen.map((record) => stats.container(record))) };
    },
    podSandboxStats: async ({ podSandboxId }) => ({ stats: await stats.sandbox(sandboxes.get(podSandboxId)) }),
    listPodSandboxStats: async ({ filter }) => {
      const chosen = sandboxes
        .list()
        .filter((record) => record.state === 'ready' && (!filter?.id || record.id.startsWith(filter.id)))
        .filter((record) => hasLabels(record.config.labels, filter?.labelSelector));
      return { stats: await Promise.all(chosen.map((record) => stats.sandbox(record))) };
    },
  } satisfies Partial<CriImplementation>;
}

function imageMethods({ context }: RuntimeParts) {
  const { images } = context;
  return {
    listImages: async ({ filter }) => {
      const wanted = filter?.image?.image;
      const found = wanted ? [images.find(wanted)] : images.list();
      return { images: found.filter((record) => record !== undefined).map(image) };
    },
    imageStatus: async ({ image: spec, verbose }) => {
      const record = images.find(spec?.image ?? '');
      const info = { imageSpec: record?.config };
      return { image: record && image(record), info: verbose && record ? { info: JSON.stringify(info) } : {} };
    },
    pullImage: async ({ image: spec, auth }, options) => {
      const record = await images.pull(spec?.image ?? '', {
        credentials: auth && credentialsOf(auth),
        signal: options?.signal,
      });
      return { imageRef: record.digests.at(-1) ?? record.id };
    },
    removeImage: async ({ image: spec }) => {
      await images.remove(spec?.image ?? '');
      return {};
    },
    imageFsInfo: async () => {
      const { folder, usedBytes, inodes } = await images.usage();
      const usage = {
        timestamp: nanoseconds(context.clock.now()),
        fsId: { mountpoint: folder },
        usedBytes: { value: usedBytes },
        inodesUsed: { value: inodes },
      };
      return {
        imageFilesystems: [usage],
        containerFilesystems: [{ ...usage, fsId: { mountpoint: context.rootFolder } }],
      };
    },
  } satisfies Partial<CriImplementation>;
}
