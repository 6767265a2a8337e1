import { isReason } from '@kubernode/api';
import { Node, Pod } from '@kubernode/api/core/v1';
import { controller, keyOf, mapped, runController, status, type ReconcileContext } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';
import { withKind } from '../shared/owner-reference.ts';
import { patchPodCondition } from '../shared/pod-conditions.ts';
import { podsOnNode } from '../shared/pods-on-node.ts';
import { stayMs } from './decide.ts';

const name = 'taint-eviction-controller';

/** Deletes pods that do not tolerate a NoExecute taint of their node, at once or when their time there is over. */
export const taintEvictionController: BuiltInController = {
  name,
  serviceAccount: 'node-controller',
  start: (context) => runController(declaration(), context),
};

function declaration() {
  /** Since when a pod's time runs; it does not start anew when the taints change. */
  const sinceMs = new Map<string, number>();
  return controller<Pod>({
    name,
    reconciles: Pod,
    watches: [mapped(Node, ({ metadata }, { informer }) => podsOnNode(informer(Pod), metadata.name).map(keyOf))],
    writes: [Pod, status(Pod)],
    onDeleted: true,
    async reconcile(pod, context) {
      const { key, informer, now } = context;
      const node = pod?.spec.nodeName ? informer(Node).get(pod.spec.nodeName) : undefined;
      const taints = (node?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
      const limitMs = pod && taints.length > 0 ? stayMs(taints, pod.spec.tolerations) : undefined;
      const startedMs = sinceMs.get(key);
      if (!pod || limitMs === undefined || pod.metadata.deletionTimestamp) {
        sinceMs.delete(key);
        if (pod && startedMs !== undefined && !pod.metadata.deletionTimestamp) tellCancelled(pod, context);
        return;
      }
      const leftMs = limitMs === 0 ? 0 : (startedMs ?? now()) + limitMs - now();
      if (leftMs > 0) {
        sinceMs.set(key, startedMs ?? now());
        return { requeueAfterMs: leftMs };
      }
      await evict(pod, context);
      sinceMs.delete(key);
    },
  });
}

function tellCancelled(pod: Pod, { recorder, key }: ReconcileContext): void {
  recorder.event(withKind(Pod, pod), 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
}

async function evict(pod: Pod, { client, recorder, key, now }: ReconcileContext): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  recorder.event(withKind(Pod, pod), 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
  const reason = 'DeletionByTaintManager';
  const message = 'Taint manager: deleting due to NoExecute taint';
  try {
    await patchPodCondition(client, pod, { type: 'DisruptionTarget', status: 'True', reason, message }, now());
    await client.delete(Pod, { name, namespace }, { preconditions: { uid } });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
}
