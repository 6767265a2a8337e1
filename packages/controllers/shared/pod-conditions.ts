import { Pod, type PodCondition } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import { formatTime } from '@kubernode/machinery';

/** Sets one condition of a pod, and more of its status; the uid guards against a pod of the same name. */
export async function patchPodCondition(
  client: Client,
  { metadata }: Pod,
  condition: Pick<PodCondition, 'type' | 'status'> & { readonly reason?: string; readonly message?: string },
  nowMs: number,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Pod> {
  const { name, namespace, uid, generation } = metadata;
  const stamped = {
    ...condition,
    lastTransitionTime: formatTime(nowMs),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const body = { metadata: { uid }, status: { ...more, conditions: [stamped] } };
  return client.patch(Pod, { name, namespace, subresource: 'status' }, { type: 'strategic', body });
}
