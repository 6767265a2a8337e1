import type { Container, PodSandbox } from '@kubernode/api/cri';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { labels } from '../containers/labels.ts';
import { readRuntimePod } from '../cri/runtime-state.ts';
import { ignoreAbsent, removeAll } from './garbage.ts';
import { orphanGraceSeconds } from './kill-container.ts';
import { stopSandboxes } from './kill-pod.ts';
import type { PodContext } from './pod-context.ts';

/**
 * Ends and removes what belongs to pods that are no longer bound to this node: they were deleted while no kubelet ran,
 * or it was killed half-way. `isKnown` says of a pod's uid whether a worker has it.
 */
export async function cleanUpOrphans(context: PodContext, isKnown: (podUid: string) => boolean): Promise<void> {
  const { cri, cgroups, log } = context;
  const [{ items }, { containers }] = await Promise.all([cri.listPodSandbox({}), cri.listContainers({})]);
  const uids = new Set([...items, ...containers].map(podUidOf).filter((uid) => uid !== '' && !isKnown(uid)));
  for (const uid of uids) {
    log.info('removing an orphaned pod', { podUid: uid });
    const own = containers.filter((container) => podUidOf(container) === uid);
    await Promise.all(
      own
        .filter(({ state }) => state === 'CONTAINER_RUNNING' || state === 'CONTAINER_UNKNOWN')
        .map(({ id, annotations }) =>
          ignoreAbsent(cri.stopContainer({ containerId: id, timeout: orphanGraceSeconds(annotations) })),
        ),
    );
    const runtime = await readRuntimePod(cri, uid);
    await stopSandboxes(context, runtime);
    await removeAll(context, runtime);
  }
  const podsDir = join(context.rootDir, 'pods');
  const kept = await readdir(podsDir).catch(() => []);
  for (const uid of kept) if (!isKnown(uid)) await context.volumes.tearDown(uid);
  await removeOrphanedLogs(context, isKnown);
  for (const [uid, path] of (await cgroups?.podPaths()) ?? []) if (!isKnown(uid)) await cgroups?.removePod(path);
}

const podUidOf = (object: PodSandbox | Container) => object.labels[labels.podUid] ?? '';

async function removeOrphanedLogs({ node }: PodContext, isKnown: (podUid: string) => boolean): Promise<void> {
  for (const name of await readdir(node.logsDir).catch(() => [])) {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    if (!isKnown(uid)) await rm(join(node.logsDir, name), { recursive: true, force: true });
  }
}
