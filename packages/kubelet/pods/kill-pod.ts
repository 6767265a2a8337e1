import type { Pod } from '@kubernode/api/core/v1';
import { CriError } from '@kubernode/api/cri';
import { isSidecar } from '../pod-lifecycle/containers-of.ts';
import { liveContainers, type RuntimePod } from '../pod-lifecycle/runtime-pod.ts';
import { graceSeconds, killContainer } from './kill-container.ts';
import type { PodContext } from './pod-context.ts';

/**
 * Ends every container of a pod at the same time, sidecars after the others and in reverse order (KEP 753), then its
 * sandboxes. `graceSeconds` overrides what the pod says.
 */
export async function killPod(
  context: PodContext,
  pod: Pod,
  runtime: RuntimePod,
  options: { readonly graceSeconds?: number } = {},
): Promise<void> {
  const podIp = runtime.ips[0] ?? '';
  const live = liveContainers(runtime);
  const grace = (name: string) => options.graceSeconds ?? graceSeconds(pod, name, 'other');
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const kills: Promise<void>[] = [];
  for (const container of live) {
    if (sidecars.includes(container.name)) continue;
    kills.push(killContainer(context, pod, container, { graceSeconds: grace(container.name), podIp }));
  }
  let before: Promise<void> = Promise.allSettled(kills).then(() => {});
  for (const name of sidecars.reverse()) {
    const container = live.find((candidate) => candidate.name === name);
    if (!container) continue;
    const kill = killContainer(context, pod, container, { graceSeconds: grace(name), podIp, after: before });
    kills.push(kill);
    before = kill.catch(() => {});
  }
  await Promise.all(kills);
  await stopSandboxes(context, runtime);
}

export async function stopSandboxes({ cri }: PodContext, runtime: RuntimePod): Promise<void> {
  await Promise.all(
    runtime.sandboxes.map(async ({ id }) => {
      try {
        await cri.stopPodSandbox({ podSandboxId: id });
      } catch (error) {
        if (!(error instanceof CriError && error.code === 'NotFound')) throw error;
      }
    }),
  );
}
