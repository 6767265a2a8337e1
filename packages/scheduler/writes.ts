import { isReason, type ApiRequest } from '@kubernode/api';
import { Binding, Pod, type PodCondition } from '@kubernode/api/core/v1';
import type { Client, EventRecorder } from '@kubernode/client';
import { formatTime, type Clock } from '@kubernode/machinery';
import type { PodInfo } from './pod-info.ts';

export interface Writer {
  /** Gives the pod its node. Throws StatusError. */
  bind(pod: PodInfo, nodeName: string): Promise<void>;
  /** Tells the pod's owner why it waits. Quiet where the pod is gone. */
  reportFailure(pod: PodInfo, reason: 'Unschedulable' | 'SchedulerError', message: string): Promise<void>;
  /** Marks the pod as the one that room is made for; '' takes that back. */
  nominate(pod: PodInfo, nodeName: string): Promise<void>;
  /** Ends a less important pod, saying for whom. */
  evict(victim: PodInfo, preemptor: PodInfo, nodeName: string): Promise<void>;
}

/** All that the scheduler writes. */
export function createWriter(client: Client, recorder: EventRecorder, clock: Clock): Writer {
  const target = ({ pod }: PodInfo) => ({ name: pod.metadata.name, namespace: pod.metadata.namespace });
  const condition = (fields: Omit<PodCondition, 'lastTransitionTime' | 'lastProbeTime'>): PodCondition => ({
    ...fields,
    lastProbeTime: undefined,
    lastTransitionTime: formatTime(clock.now()),
  });
  const patchStatus = (pod: PodInfo, status: object) =>
    client
      .patch(
        Pod,
        { ...target(pod), subresource: 'status' },
        { type: 'strategic', body: { metadata: { uid: pod.uid }, status } },
      )
      .catch(ignoreGone);

  return {
    async bind(pod, nodeName) {
      const body = {
        ...typeOf(Binding),
        metadata: { ...target(pod), uid: pod.uid },
        target: { kind: 'Node', name: nodeName },
      };
      const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.pod.metadata.name}/binding`;
      await client.request({ method: 'POST', path, body } satisfies ApiRequest);
      const message = `Successfully assigned ${pod.key} to ${nodeName}`;
      recorder.event(referenceOf(pod), 'Normal', 'Scheduled', message, { action: 'Binding' });
    },
    async reportFailure(pod, reason, message) {
      recorder.event(referenceOf(pod), 'Warning', 'FailedScheduling', message, { action: 'Scheduling' });
      const known = pod.pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
      if (known?.status === 'False' && known.reason === reason && known.message === message) return;
      const { generation } = pod.pod.metadata;
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      const next = condition({ type: 'PodScheduled', status: 'False', reason, message, ...observed });
      const lastTransitionTime = known?.status === 'False' ? known.lastTransitionTime : next.lastTransitionTime;
      await patchStatus(pod, { conditions: [{ ...next, lastTransitionTime }] });
    },
    async nominate(pod, nodeName) {
      await patchStatus(pod, { nominatedNodeName: nodeName || null });
    },
    async evict(victim, preemptor, nodeName) {
      const message = `${schedulerName}: preempting to accommodate a higher priority pod`;
      const target_ = condition({ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message });
      if (!victim.isTerminating) await patchStatus(victim, { conditions: [target_] });
      const preconditions = { uid: victim.uid };
      await client.delete(Pod, target(victim), { preconditions }).catch(ignoreGone);
      const note = `Preempted by pod ${preemptor.uid} on node ${nodeName}`;
      const extras = { action: 'Preempting', related: referenceOf(preemptor) };
      recorder.event(referenceOf(victim), 'Normal', 'Preempted', note, extras);
    },
  };
}

export const schedulerName = 'default-scheduler';

const typeOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({ apiVersion, kind });

/** Objects of a list carry no kind. */
const referenceOf = ({ pod }: PodInfo) => ({ ...pod, ...typeOf(Pod) });

function ignoreGone(error: unknown): void {
  if (!isReason(error, 'NotFound', 'Conflict')) throw error;
}
