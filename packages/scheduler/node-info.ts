import type { Node } from '@kubernode/api/core/v1';
import { amountsOf, type Amounts, type HostPort, type PodInfo } from './pod-info.ts';

/** A node and the pods on it, at one moment: never changed, only replaced. */
export class NodeInfo {
  readonly node: Node;
  readonly pods: readonly PodInfo[];
  /** Pods with rules on which pods may be near them. */
  readonly podsWithAffinity: readonly PodInfo[];
  readonly allocatable: Amounts;
  readonly requested: Amounts;
  readonly scoredRequested: Amounts;
  readonly #imageBytes: ReadonlyMap<string, number>;

  constructor(node: Node, pods: readonly PodInfo[], base?: NodeInfo) {
    this.node = node;
    this.pods = pods;
    this.podsWithAffinity = pods.filter((pod) => pod.hasAffinity);
    const same = base?.node === node;
    this.allocatable = same ? base.allocatable : amountsOf(node.status.allocatable);
    this.#imageBytes = same ? base.#imageBytes : imagesOf(node);
    this.requested = sum(pods.map(({ requests }) => requests));
    this.scoredRequested = sum(pods.map(({ scoredRequests }) => scoredRequests));
  }

  get name(): string {
    return this.node.metadata.name;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? {};
  }

  get zone(): string {
    return `${this.labels['topology.kubernetes.io/region'] ?? ''}/${this.labels['topology.kubernetes.io/zone'] ?? ''}`;
  }

  /** Size of an image that the node has; undefined where it does not. */
  imageBytes(name: string): number | undefined {
    return this.#imageBytes.get(name);
  }

  withPod(pod: PodInfo): NodeInfo {
    return new NodeInfo(this.node, [...this.pods, pod], this);
  }

  withoutPod(uid: string): NodeInfo {
    return new NodeInfo(
      this.node,
      this.pods.filter((pod) => pod.uid !== uid),
      this,
    );
  }

  withNode(node: Node): NodeInfo {
    return new NodeInfo(node, this.pods, this);
  }

  hasPortConflict(wanted: readonly HostPort[]): boolean {
    return (
      wanted.length > 0 &&
      this.pods.some(({ hostPorts }) => hostPorts.some((used) => wanted.some((p) => clash(used, p))))
    );
  }
}

const anyIp = new Set(['0.0.0.0', '::']);

function clash(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || anyIp.has(a.ip) || anyIp.has(b.ip));
}

function sum(all: readonly Amounts[]): Amounts {
  const total: Record<string, number> = {};
  for (const amounts of all) for (const name in amounts) total[name] = (total[name] ?? 0) + (amounts[name] ?? 0);
  return total;
}

function imagesOf(node: Node): Map<string, number> {
  const images = node.status.images ?? [];
  return new Map(images.flatMap(({ names, sizeBytes = 0 }) => names.map((name) => [name, Number(sizeBytes)])));
}
