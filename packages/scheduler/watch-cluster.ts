import type { Node, Pod } from '@kubernode/api/core/v1';
import type { Informer, InformerChange } from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import type { Cluster } from './cluster.ts';
import type { ClusterChange } from './framework.ts';
import { PodInfo } from './pod-info.ts';
import type { SchedulingQueue } from './queue.ts';

export interface WatchClusterOptions {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly cluster: Cluster;
  readonly queue: SchedulingQueue;
  /** Whether the pod waits for this scheduler. */
  readonly isOurs: (pod: Pod) => boolean;
  readonly onChange: (change: ClusterChange) => void;
}

/** Carries what the informers see into the cluster's picture and the queue. Answers the way to stop. */
export function watchCluster(options: WatchClusterOptions): () => void {
  const stops = [
    options.nodes.onChange((change) => onNode(change, options)),
    options.pods.onChange((change) => onPod(change, options)),
  ];
  return () => stops.forEach((stop) => stop());
}

function onNode(change: InformerChange<Node>, { cluster, onChange }: WatchClusterOptions): void {
  const { object: node } = change;
  if (change.type === 'deleted') return cluster.deleteNode(node.metadata.name);
  cluster.setNode(node);
  if (change.type === 'added') onChange({ type: 'nodeAdded', node });
  else onChange({ type: 'nodeUpdated', node, previous: change.previous });
}

function onPod(change: InformerChange<Pod>, options: WatchClusterOptions): void {
  const { object: pod } = change;
  const previous = change.type === 'updated' ? change.previous : undefined;
  const isPlaced = change.type !== 'deleted' && takesRoom(pod);
  const wasPlaced = change.type === 'deleted' ? takesRoom(pod) : previous !== undefined && takesRoom(previous);
  if (isPlaced || wasPlaced) onPlaced(pod, previous, isPlaced, wasPlaced, options);
  if (!isPlaced) onWaiting(pod, previous, change.type === 'deleted', options);
}

/** A pod that is on a node and has not ended. */
function takesRoom({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) && status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

function onPlaced(
  pod: Pod,
  previous: Pod | undefined,
  isPlaced: boolean,
  wasPlaced: boolean,
  { cluster, queue, onChange }: WatchClusterOptions,
): void {
  if (!isPlaced) {
    cluster.deletePod(pod.metadata.uid);
    onChange({ type: 'podDeleted', pod });
    return;
  }
  queue.delete(pod.metadata.uid);
  cluster.setPod(pod);
  if (!wasPlaced) onChange({ type: 'podAdded', pod });
  else if (previous && !sameForOthers(pod, previous)) onChange({ type: 'podUpdated', pod, previous });
}

/** What other pods' placement may depend on. */
function sameForOthers(pod: Pod, previous: Pod): boolean {
  return (
    deepEqual(pod.metadata.labels, previous.metadata.labels) &&
    deepEqual(pod.spec, previous.spec) &&
    pod.metadata.deletionTimestamp === previous.metadata.deletionTimestamp
  );
}

function onWaiting(
  pod: Pod,
  previous: Pod | undefined,
  isDeleted: boolean,
  { cluster, queue, isOurs, onChange }: WatchClusterOptions,
): void {
  const { uid } = pod.metadata;
  if (isDeleted || pod.spec.nodeName || !isOurs(pod) || pod.status.phase === 'Failed') {
    queue.delete(uid);
    cluster.nominate(new PodInfo(pod), '');
    if (isDeleted && cluster.isAssumed(uid)) {
      cluster.deletePod(uid);
      onChange({ type: 'podDeleted', pod });
    }
    return;
  }
  if (cluster.isAssumed(uid)) return;
  const info = new PodInfo(pod);
  if (pod.status.nominatedNodeName) cluster.nominate(info, pod.status.nominatedNodeName);
  if (!previous || !isOurs(previous)) queue.add(info);
  else if (deepEqual(pod.spec, previous.spec) && deepEqual(pod.metadata.labels, previous.metadata.labels))
    queue.refresh(info);
  else queue.update(info);
}
