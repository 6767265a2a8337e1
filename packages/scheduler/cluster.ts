import type { Node, Pod } from '@kubernode/api/core/v1';
import { NodeInfo } from './node-info.ts';
import { PodInfo } from './pod-info.ts';
import { createSnapshot, spreadByZone, type Snapshot, type SnapshotParts } from './snapshot.ts';

/**
 * Nodes and the pods on them, as last told by the API, plus pods that were just given a node and are not yet seen
 * there (assumed). Pods of a node that is not known yet are kept until it is.
 */
export class Cluster {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #strays = new Map<string, Map<string, PodInfo>>();
  /** uid → node of every pod that counts. */
  readonly #placed = new Map<string, string>();
  readonly #assumed = new Set<string>();
  readonly #nominated = new Map<string, PodInfo>();
  #order: readonly string[] | undefined;

  setNode(node: Node): void {
    const { name } = node.metadata;
    const known = this.#nodes.get(name);
    const zone = known?.zone;
    const strays = this.#strays.get(name)?.values() ?? [];
    const next = known ? known.withNode(node) : new NodeInfo(node, [...strays]);
    this.#strays.delete(name);
    this.#nodes.set(name, next);
    if (zone !== next.zone) this.#order = undefined;
  }

  deleteNode(name: string): void {
    const pods = this.#nodes.get(name)?.pods ?? [];
    this.#nodes.delete(name);
    this.#order = undefined;
    if (pods.length > 0) this.#strays.set(name, new Map(pods.map((pod) => [pod.uid, pod])));
  }

  /** A pod is on its node, as the API says. */
  setPod(pod: Pod): void {
    const info = new PodInfo(pod);
    this.#assumed.delete(info.uid);
    this.#place(info, pod.spec.nodeName ?? '');
  }

  /** A pod was given a node, and its binding is on its way. */
  assume(pod: PodInfo, nodeName: string): void {
    this.#assumed.add(pod.uid);
    this.#place(pod, nodeName);
  }

  /** The binding failed. */
  forget(uid: string): void {
    if (this.#assumed.delete(uid)) this.#remove(uid);
  }

  deletePod(uid: string): void {
    this.#assumed.delete(uid);
    this.#remove(uid);
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Preemption makes room for a pod on a node; '' takes that back. */
  nominate(pod: PodInfo, nodeName: string): void {
    this.#nominated.delete(pod.uid);
    if (nodeName) this.#nominated.set(pod.uid, withNomination(pod, nodeName));
  }

  /** Pods nominated to a node that matter less than `pod`. */
  nominatedBelow(pod: PodInfo, nodeName: string): PodInfo[] {
    return [...this.#nominated.values()].filter(
      (other) => other.pod.status.nominatedNodeName === nodeName && other.priority < pod.priority,
    );
  }

  snapshot(namespace: SnapshotParts['namespace']): Snapshot {
    this.#order ??= spreadByZone([...this.#nodes.values()]).map(({ name }) => name);
    const nodes = this.#order.map((name) => this.#nodes.get(name)).filter((node) => node !== undefined);
    const nominated = Map.groupBy(this.#nominated.values(), ({ pod }) => pod.status.nominatedNodeName ?? '');
    return createSnapshot({ nodes, namespace, nominated });
  }

  #place(pod: PodInfo, nodeName: string): void {
    this.#remove(pod.uid);
    this.#nominated.delete(pod.uid);
    this.#placed.set(pod.uid, nodeName);
    const node = this.#nodes.get(nodeName);
    if (node) this.#nodes.set(nodeName, node.withPod(pod));
    else this.#strays.set(nodeName, (this.#strays.get(nodeName) ?? new Map<string, PodInfo>()).set(pod.uid, pod));
  }

  #remove(uid: string): void {
    const nodeName = this.#placed.get(uid);
    this.#placed.delete(uid);
    if (nodeName === undefined) return;
    const node = this.#nodes.get(nodeName);
    if (node) this.#nodes.set(nodeName, node.withoutPod(uid));
    else this.#strays.get(nodeName)?.delete(uid);
  }
}

function withNomination(info: PodInfo, nominatedNodeName: string): PodInfo {
  return new PodInfo({ ...info.pod, status: { ...info.pod.status, nominatedNodeName } });
}
