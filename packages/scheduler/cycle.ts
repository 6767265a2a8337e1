import type { FitError } from './fit-error.ts';
import { Verdict, type Plugin } from './framework.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Snapshot } from './snapshot.ts';

export type Outcome =
  | { readonly fits: true; readonly nodeName: string; readonly startAt: number }
  | { readonly fits: false; readonly error: FitError; readonly prepared: PreparedPlugins };

/** What each plugin worked out for the pod. */
export type PreparedPlugins = ReadonlyMap<Plugin, unknown>;

export interface CycleOptions {
  readonly plugins: readonly Plugin[];
  readonly random: () => number;
  /** Where the search begins, so that with many nodes all get their turn. */
  readonly startAt: number;
}

/** With fewer nodes than this, all are tried. */
const nodesToTryMin = 100;

/** Finds a node for a pod: prepare, filter, score, pick. A function of the snapshot: it waits for nothing and changes nothing. */
export function schedule(pod: PodInfo, snapshot: Snapshot, options: CycleOptions): Outcome {
  const { plugins } = options;
  const prepared = prepare(pod, snapshot, plugins);
  if (prepared.refusal)
    return { fits: false, prepared: prepared.states, error: everywhere(snapshot, prepared.refusal) };
  const candidates = candidatesFor(pod, snapshot, plugins);
  const found = findFitting(pod, snapshot, candidates, prepared.states, options);
  if (found.nodes.length === 0) {
    const rest = snapshot.nodes.filter(({ name }) => !found.verdicts.has(name));
    for (const { name } of rest) found.verdicts.set(name, excluded);
    if (rest.length > 0) found.plugins.add('NodeAffinity');
    return { fits: false, prepared: prepared.states, error: { nodeCount: snapshot.nodes.length, ...found } };
  }
  const node = pick(pod, found.nodes, snapshot, options);
  return { fits: true, nodeName: node.name, startAt: found.startAt };
}

const excluded = new Verdict(["node(s) didn't satisfy plugin(s) [NodeAffinity]"], true);

function everywhere(snapshot: Snapshot, refusal: { verdict: Verdict; plugin: string }): FitError {
  const verdicts = new Map(snapshot.nodes.map(({ name }) => [name, refusal.verdict]));
  return { nodeCount: snapshot.nodes.length, verdicts, plugins: new Set([refusal.plugin]) };
}

function prepare(pod: PodInfo, snapshot: Snapshot, plugins: readonly Plugin[]) {
  const states = new Map<Plugin, unknown>();
  for (const plugin of plugins) {
    const state = plugin.prepare?.(pod, snapshot);
    if (state instanceof Verdict) return { states, refusal: { verdict: state, plugin: plugin.name } };
    states.set(plugin, state);
  }
  return { states, refusal: undefined };
}

function candidatesFor(pod: PodInfo, { nodes }: Snapshot, plugins: readonly Plugin[]): readonly NodeInfo[] {
  const lists = plugins.map((plugin) => plugin.onlyNodes?.(pod)).filter((names) => names !== undefined);
  if (lists.length === 0) return nodes;
  const sets = lists.map((names) => new Set(names));
  return nodes.filter(({ name }) => sets.every((names) => names.has(name)));
}

/** Tries nodes in turn from `startAt` on until enough fit (upstream's adaptive percentageOfNodesToScore). */
function findFitting(
  pod: PodInfo,
  snapshot: Snapshot,
  candidates: readonly NodeInfo[],
  prepared: PreparedPlugins,
  { plugins, startAt }: CycleOptions,
) {
  const enough = nodesToTry(candidates.length);
  const nodes: NodeInfo[] = [];
  const verdicts = new Map<string, Verdict>();
  const refusing = new Set<string>();
  let tried = 0;
  for (; tried < candidates.length && nodes.length < enough; tried++) {
    const node = candidates[(startAt + tried) % candidates.length] as NodeInfo;
    const refusal = filterWithNominated(pod, node, snapshot, prepared, plugins);
    if (!refusal) nodes.push(node);
    else {
      verdicts.set(node.name, refusal.verdict);
      refusing.add(refusal.plugin);
    }
  }
  return { nodes, verdicts, plugins: refusing, startAt: (startAt + tried) % Math.max(1, candidates.length) };
}

function nodesToTry(count: number): number {
  if (count <= nodesToTryMin) return count;
  const percentage = Math.max(5, 50 - Math.floor(count / 125));
  return Math.max(nodesToTryMin, Math.floor((count * percentage) / 100));
}

export interface Refusal {
  readonly plugin: string;
  readonly verdict: Verdict;
}

/** Whether a node takes the pod; undefined if it does. The first plugin that does not want it speaks. */
export function filterNode(
  pod: PodInfo,
  node: NodeInfo,
  prepared: PreparedPlugins,
  plugins: readonly Plugin[],
): Refusal | undefined {
  for (const plugin of plugins) {
    const verdict = plugin.filter?.(pod, node, prepared.get(plugin));
    if (verdict) return { plugin: plugin.name, verdict };
  }
}

/** A pod that preemption made room for counts as if it were there already, unless this one matters more. */
export function filterWithNominated(
  pod: PodInfo,
  node: NodeInfo,
  snapshot: Snapshot,
  prepared: PreparedPlugins,
  plugins: readonly Plugin[],
): Refusal | undefined {
  const nominated = snapshot
    .nominatedTo(node.name)
    .filter((other) => other.priority >= pod.priority && other.uid !== pod.uid);
  if (nominated.length === 0) return filterNode(pod, node, prepared, plugins);
  let withThem = node;
  let adjusted = prepared;
  for (const other of nominated) {
    withThem = withThem.withPod(other);
    adjusted = adjust(adjusted, pod, other, node, 1);
  }
  return filterNode(pod, withThem, adjusted, plugins) ?? filterNode(pod, node, prepared, plugins);
}

/** The prepared states as if `other` came to the node, or left it. */
export function adjust(
  prepared: PreparedPlugins,
  pod: PodInfo,
  other: PodInfo,
  node: NodeInfo,
  by: 1 | -1,
): PreparedPlugins {
  return new Map(
    [...prepared].map(([plugin, state]) => [
      plugin,
      plugin.adjust ? plugin.adjust(state, pod, other, node, by) : state,
    ]),
  );
}

/** The node with the highest weighted score; among equals one by chance. */
function pick(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  snapshot: Snapshot,
  { plugins, random }: CycleOptions,
): NodeInfo {
  const [only] = nodes;
  if (only && nodes.length === 1) return only;
  const totals = nodes.map(() => 0);
  for (const plugin of plugins) {
    const scores = plugin.score?.(pod, nodes, snapshot);
    scores?.forEach((score, index) => (totals[index] = (totals[index] ?? 0) + score * (plugin.weight ?? 1)));
  }
  const best = Math.max(...totals);
  const winners = nodes.filter((_, index) => totals[index] === best);
  return winners[Math.floor(random() * winners.length)] as NodeInfo;
}
