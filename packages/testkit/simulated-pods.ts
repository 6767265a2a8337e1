import { isReason } from '@kubernode/api';
import { Node, Pod } from '@kubernode/api/core/v1';
import { controller, mapped, status, type ReconcileContext } from '@kubernode/client';
import { formatTime } from '@kubernode/machinery';
import { isSimulated } from './simulated-node.ts';

/** On a pod: it stays Pending. */
const holdAnnotation = 'sim.example.com/hold';
/** On a pod: `succeeded` or `failed`: it ends, with the exit code of the next. */
const resultAnnotation = 'sim.example.com/result';
const exitCodeAnnotation = 'sim.example.com/exit-code';
/** On a pod: it stays although it was deleted. */
const lingerAnnotation = 'sim.example.com/linger';

const hostIP = '192.0.2.1';

/** Plays the kubelet of simulated nodes: pods become Running at once, end when an annotation says so, and go when deleted. */
export const simulatedPods = controller({
  name: 'simulated-pods',
  reconciles: Pod,
  watches: [mapped(Node, ({ metadata }, { informer }) => podsOn(metadata.name, informer(Pod).list()))],
  writes: [Pod, status(Pod)],
  filter: ({ spec }) => Boolean(spec.nodeName),
  async reconcile(pod, context) {
    const node = context.informer(Node).get(pod.spec.nodeName ?? '');
    if (!node || !isSimulated(node)) return;
    const annotations = pod.metadata.annotations ?? {};
    if (pod.metadata.deletionTimestamp) {
      if (annotations[lingerAnnotation] === undefined) await remove(pod, context);
    } else if (pod.status.phase === 'Pending') {
      if (annotations[holdAnnotation] === undefined) await writeStatus(pod, running(pod, context), context);
    } else if (pod.status.phase === 'Running') {
      const result = annotations[resultAnnotation];
      if (result === 'succeeded' || result === 'failed') await writeStatus(pod, ended(pod, result, context), context);
    }
  },
});

function podsOn(nodeName: string, pods: readonly Pod[]): string[] {
  return pods
    .filter(({ spec }) => spec.nodeName === nodeName)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

async function remove({ metadata }: Pod, { client }: ReconcileContext): Promise<void> {
  const { name, namespace, uid } = metadata;
  await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } }).catch(ignoreGone);
}

async function writeStatus({ metadata }: Pod, body: object, { client }: ReconcileContext): Promise<void> {
  const { name, namespace } = metadata;
  await client
    .patch(Pod, { name, namespace, subresource: 'status' }, { type: 'strategic', body: { status: body } })
    .catch(ignoreGone);
}

function running(pod: Pod, { now }: ReconcileContext): object {
  const time = formatTime(now());
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: time });
  return {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady'].map(condition),
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: time } },
    })),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...addressOf(pod),
    startTime: time,
  };
}

/** An address that follows from the pod's uid: the same in every run with the same uids. */
function addressOf(pod: Pod): { podIP: string; podIPs: { ip: string }[] } {
  const digits = Number.parseInt(pod.metadata.uid.replaceAll('-', '').slice(0, 8), 16) || 1;
  const ip = pod.spec.hostNetwork ? hostIP : `10.244.${(digits >> 8) & 255}.${digits & 255 || 1}`;
  return { podIP: ip, podIPs: [{ ip }] };
}

function ended(pod: Pod, result: 'succeeded' | 'failed', { now }: ReconcileContext): object {
  const time = formatTime(now());
  const failed = result === 'failed';
  const reason = failed ? 'PodFailed' : 'PodCompleted';
  const condition = (type: string) => ({ type, status: 'False', reason, lastTransitionTime: time });
  const exitCode = failed ? Number(pod.metadata.annotations?.[exitCodeAnnotation] ?? 1) : 0;
  const terminated = { exitCode, reason: failed ? 'Error' : 'Completed', startedAt: time, finishedAt: time };
  return {
    phase: failed ? 'Failed' : 'Succeeded',
    conditions: ['Ready', 'ContainersReady'].map(condition),
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { terminated },
    })),
  };
}

function ignoreGone(error: unknown): void {
  if (!isReason(error, 'NotFound', 'Conflict')) throw error;
}
