import type { DaemonSet } from '@kubernode/api/apps/v1';
import type { Node, Pod } from '@kubernode/api/core/v1';
import { resolveIntOrPercent } from '@kubernode/machinery';
import { isAvailable, isReady } from '../shared/pods.ts';
import { isUpdated, nodeNameOf, placementOn } from './pods.ts';

/** What there is, and when. */
export interface Situation {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Of the present template. */
  readonly hash: string;
  readonly nowMs: number;
}

export interface Changes {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

export const nothing: Changes = { create: [], remove: [] };

/** The pods by the node that they are on or meant for. */
export function byNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = nodeNameOf(pod);
    if (name === undefined) continue;
    const there = found.get(name);
    if (there) there.push(pod);
    else found.set(name, [pod]);
  }
  return found;
}

const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const olderFirst = (a: Pod, b: Pod) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);

/** One pod for each node that asks for one, none elsewhere; pods that ended are replaced. */
export function managePods(situation: Situation): Changes {
  const { set, nodes, pods } = situation;
  const onNode = byNode(pods);
  const create: string[] = [];
  const remove: Pod[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const there = onNode.get(name) ?? [];
    onNode.delete(name);
    const { shouldRun, mayStay } = placementOn(set, node);
    if (shouldRun && there.length === 0) create.push(name);
    else if (mayStay) remove.push(...surplus(situation, there));
    else remove.push(...there.filter((pod) => !isGoing(pod)));
  }
  // Nodes that are gone: what was never bound to them would wait for ever.
  for (const left of onNode.values()) remove.push(...left.filter((pod) => !pod.spec.nodeName && !isGoing(pod)));
  return { create, remove };
}

/** Pods that ended, and all but the oldest of those that run; during a surge the oldest of each revision stays. */
function surplus({ set, hash, nowMs }: Situation, there: readonly Pod[]): Pod[] {
  const present = there.filter((pod) => !isGoing(pod));
  const isEnded = ({ status }: Pod) => status.phase === 'Failed' || status.phase === 'Succeeded';
  const running = present.filter((pod) => !isEnded(pod)).toSorted(olderFirst);
  const ended = present.filter(isEnded);
  if (running.length <= 1) return ended;
  if (limitsOf(set, 1).maxSurge === 0) return [...ended, ...running.slice(1)];
  const fresh = running.find((pod) => isUpdated(set, pod, hash));
  const old = running.find((pod) => !isUpdated(set, pod, hash));
  const others = running.filter((pod) => pod !== fresh && pod !== old);
  const isOldDone = fresh && old && (!isReady(old) || isAvailable(fresh, set.spec.minReadySeconds ?? 0, nowMs));
  return [...ended, ...others, ...(isOldDone ? [old] : [])];
}

/** Replaces pods of earlier templates, as many at a time as the strategy allows. */
export function updatePods(situation: Situation): Changes {
  const { set, nodes, pods } = situation;
  if (set.spec.updateStrategy.type === 'OnDelete') return nothing;
  const desired = nodes.filter((node) => placementOn(set, node).shouldRun).length;
  const limits = limitsOf(set, desired);
  const states = [...byNode(pods)].map(([name, there]) => ({ name, ...stateOf(situation, there) }));
  return limits.maxSurge > 0 ? surge(states, limits.maxSurge) : replace(states, limits.maxUnavailable);
}

interface NodeState {
  readonly name: string;
  /** More than one of a revision: `managePods` sees to that first. */
  readonly isAmbiguous: boolean;
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
  readonly isFreshAvailable: boolean;
  readonly isOldAvailable: boolean;
}

function stateOf({ set, hash, nowMs }: Situation, there: readonly Pod[]): Omit<NodeState, 'name'> {
  const present = there.filter((pod) => !isGoing(pod));
  const fresh = present.filter((pod) => isUpdated(set, pod, hash));
  const old = present.filter((pod) => !isUpdated(set, pod, hash));
  const isThere = (pod: Pod | undefined) => pod !== undefined && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  return {
    isAmbiguous: fresh.length > 1 || old.length > 1,
    fresh: fresh[0],
    old: old[0],
    isFreshAvailable: isThere(fresh[0]),
    isOldAvailable: isThere(old[0]),
  };
}

/** Old pods that are not available go at once; of the others as many as may be missing. */
function replace(states: readonly NodeState[], maxUnavailable: number): Changes {
  const now: Pod[] = [];
  const later: Pod[] = [];
  let unavailable = 0;
  for (const { isAmbiguous, fresh, old, isFreshAvailable, isOldAvailable } of states) {
    if (isAmbiguous || Boolean(fresh) === Boolean(old)) unavailable++;
    else if (fresh) unavailable += isFreshAvailable ? 0 : 1;
    else if (old && isOldAvailable) later.push(old);
    else if (old) {
      now.push(old);
      unavailable++;
    }
  }
  return { create: [], remove: [...now, ...later.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/** New pods come beside the old ones, which go once the new ones are available. */
function surge(states: readonly NodeState[], maxSurge: number): Changes {
  const remove: Pod[] = [];
  const now: string[] = [];
  const later: string[] = [];
  let surging = 0;
  for (const { name, isAmbiguous, fresh, old, isFreshAvailable, isOldAvailable } of states) {
    if (isAmbiguous) surging++;
    else if (old && !fresh) (isOldAvailable ? later : now).push(name);
    else if (old && isFreshAvailable) remove.push(old);
    else if (old) surging++;
  }
  return { create: [...now, ...later.slice(0, Math.max(0, maxSurge - surging))], remove };
}

/** How many nodes may have two pods, or none. Both rounded up; never both 0, as nothing would move. */
function limitsOf({ spec }: DaemonSet, desired: number): { maxSurge: number; maxUnavailable: number } {
  const { rollingUpdate, type } = spec.updateStrategy;
  if (type === 'OnDelete') return { maxSurge: 0, maxUnavailable: 0 };
  const resolve = (value: number | string) => resolveIntOrPercent(value, desired, { roundUp: true });
  const maxSurge = resolve(rollingUpdate?.maxSurge ?? 0);
  const maxUnavailable = resolve(rollingUpdate?.maxUnavailable ?? 1);
  return { maxSurge, maxUnavailable: maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable };
}
