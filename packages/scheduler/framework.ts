import type { Node, Pod } from '@kubernode/api/core/v1';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Snapshot } from './snapshot.ts';

/** Scores go from 0 to this. */
export const scoreMax = 100;

/**
 * A scheduling plugin: an object with the extension points that it uses. `S` is what it works out once for a pod and
 * reads at each node.
 */
export interface Plugin<S = unknown> {
  readonly name: string;
  /** Changes of the cluster after which a pod that this plugin refused may fit. */
  readonly requeueOn?: readonly Hint[];
  /** Before the pod enters the queue: a reason keeps it out. */
  readonly preEnqueue?: (pod: Pod) => string | undefined;
  /** Once a pod: what `filter` reads. A verdict refuses the pod on every node. */
  readonly prepare?: (pod: PodInfo, snapshot: Snapshot) => S | Verdict;
  /** Nodes that alone can take the pod; others are not even tried. */
  readonly onlyNodes?: (pod: PodInfo) => readonly string[] | undefined;
  readonly filter?: (pod: PodInfo, node: NodeInfo, prepared: S) => Verdict | undefined;
  /** What `prepare` would have answered with `other` on (+1) or off (-1) the node; preemption tries with it. */
  readonly adjust?: (prepared: S, pod: PodInfo, other: PodInfo, node: NodeInfo, by: 1 | -1) => S;
  readonly weight?: number;
  /** Scores of all nodes that fit, 0 to scoreMax, in their order; undefined: nothing to say. */
  readonly score?: (pod: PodInfo, nodes: readonly NodeInfo[], snapshot: Snapshot) => readonly number[] | undefined;
}

/** Why a pod does not go on a node; `unresolvable` if no other pod's leaving would help. */
export class Verdict {
  readonly reasons: readonly string[];
  readonly unresolvable: boolean;

  constructor(reasons: readonly string[], unresolvable: boolean) {
    this.reasons = reasons;
    this.unresolvable = unresolvable;
  }
}

export const refuse = (...reasons: string[]) => new Verdict(reasons, false);
export const refuseForGood = (...reasons: string[]) => new Verdict(reasons, true);

/** What happened in the cluster that may make room for a waiting pod. */
export type ClusterChange =
  | { readonly type: 'nodeAdded'; readonly node: Node }
  | { readonly type: 'nodeUpdated'; readonly node: Node; readonly previous: Node }
  /** A pod that is on a node. */
  | { readonly type: 'podAdded' | 'podDeleted'; readonly pod: Pod }
  | { readonly type: 'podUpdated'; readonly pod: Pod; readonly previous: Pod };

export interface Hint {
  readonly on: ClusterChange['type'];
  /** Whether this change can help this pod; without it, any change of the type can. */
  readonly helps?: (change: ClusterChange, pod: PodInfo) => boolean;
}

/** Gives a plugin its state's type, and hides it from the framework. */
export function plugin<S>(definition: Plugin<S>): Plugin {
  return definition as Plugin;
}
