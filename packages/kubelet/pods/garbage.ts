import { glob, rm } from 'node:fs/promises';
import { sep } from 'node:path';
import { CriError } from '@kubernode/api/cri';
import type { RuntimeContainer, RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import type { PodContext } from './pod-context.ts';

/** Dead containers that stay for `kubectl logs --previous`, beside a running one. */
const deadContainersKept = 1;

/** What of a pod that goes on may be removed: dead containers but the last, and sandboxes without containers. Pure. */
export function garbageOf(runtime: RuntimePod): {
  readonly containers: readonly RuntimeContainer[];
  readonly sandboxIds: readonly string[];
} {
  const seen = new Map<string, number>();
  const containers = runtime.containers.filter((container) => {
    const place = seen.get(container.name) ?? 0;
    seen.set(container.name, place + 1);
    return container.state === 'exited' && place > deadContainersKept;
  });
  const kept = new Set(
    runtime.containers.filter((container) => !containers.includes(container)).map((c) => c.sandboxId),
  );
  const sandboxIds = runtime.sandboxes
    .slice(1)
    .filter(({ id, ready }) => !ready && !kept.has(id))
    .map(({ id }) => id);
  return { containers, sandboxIds };
}

export async function collectGarbage(context: PodContext, runtime: RuntimePod): Promise<void> {
  const { containers, sandboxIds } = garbageOf(runtime);
  for (const container of containers) await removeContainer(context, container);
  for (const podSandboxId of sandboxIds) {
    await ignoreAbsent(context.cri.stopPodSandbox({ podSandboxId }));
    await ignoreAbsent(context.cri.removePodSandbox({ podSandboxId }));
  }
}

/** Removes all that is left of a pod that has ended. */
export async function removeAll(context: PodContext, runtime: RuntimePod): Promise<void> {
  await Promise.all(runtime.containers.map((container) => removeContainer(context, container)));
  for (const { id: podSandboxId } of runtime.sandboxes) {
    await ignoreAbsent(context.cri.stopPodSandbox({ podSandboxId }));
    await ignoreAbsent(context.cri.removePodSandbox({ podSandboxId }));
  }
}

/** The container and its logs, rotated ones too; only files in the logs' own folder are touched. */
async function removeContainer({ cri, node }: PodContext, { id, logPath }: RuntimeContainer): Promise<void> {
  await ignoreAbsent(cri.removeContainer({ containerId: id }));
  if (!logPath.startsWith(node.logsDir + sep)) return;
  await rm(logPath, { force: true });
  for await (const rotated of glob(`${logPath}.*`)) await rm(rotated, { force: true });
}

export async function ignoreAbsent(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CriError && error.code === 'NotFound')) throw error;
  }
}
