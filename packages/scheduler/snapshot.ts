import type { Namespace } from '@kubernode/api/core/v1';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** The cluster at one moment, as one scheduling decision sees it. */
export interface Snapshot {
  /** Zones take turns, so that the first nodes tried are spread. */
  readonly nodes: readonly NodeInfo[];
  /** Labels of a namespace, for terms that select namespaces. */
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>>;
  /** Pods that wait for room on a node that preemption made. */
  nominatedTo(nodeName: string): readonly PodInfo[];
  /** How many nodes have an image. */
  nodesWithImage(name: string): number;
}

export interface SnapshotParts {
  readonly nodes: readonly NodeInfo[];
  readonly namespace: (name: string) => Namespace | undefined;
  readonly nominated: ReadonlyMap<string, readonly PodInfo[]>;
}

const noLabels: Readonly<Record<string, string>> = {};

export function createSnapshot({ nodes, namespace, nominated }: SnapshotParts): Snapshot {
  const withImage = new Map<string, number>();
  return {
    nodes,
    namespaceLabels: (name) => namespace(name)?.metadata.labels ?? noLabels,
    nominatedTo: (nodeName) => nominated.get(nodeName) ?? [],
    nodesWithImage(name) {
      const known = withImage.get(name);
      if (known !== undefined) return known;
      const count = nodes.filter((node) => node.imageBytes(name) !== undefined).length;
      withImage.set(name, count);
      return count;
    },
  };
}

/** The same nodes, one of each zone in turn. */
export function spreadByZone(nodes: readonly NodeInfo[]): NodeInfo[] {
  const zones = [...Map.groupBy(nodes, ({ zone }) => zone).values()];
  if (zones.length <= 1) return [...nodes];
  const longest = Math.max(...zones.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, round) => zones.map((zone) => zone[round]));
  return rounds.flat().filter((node) => node !== undefined);
}
