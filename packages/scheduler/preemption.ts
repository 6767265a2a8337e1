import type { PodDisruptionBudget } from '@kubernode/api/policy/v1';
import { labelSelectorMatcher, parseTime } from '@kubernode/machinery';
import { adjust, filterNode, filterWithNominated, type PreparedPlugins } from './cycle.ts';
import { histogram, type FitError } from './fit-error.ts';
import type { Plugin } from './framework.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Snapshot } from './snapshot.ts';

export type Preemption =
  | { readonly nodeName: string; readonly victims: readonly PodInfo[] }
  | { readonly nodeName: undefined; readonly message: string };

interface Candidate {
  readonly node: NodeInfo;
  readonly victims: readonly PodInfo[];
  readonly violations: number;
}

/**
 * Which node could take the pod if less important pods left it, and which of them must go: as few as possible, those
 * that break no disruption budget first (upstream's DefaultPreemption). A function of the snapshot.
 */
export function preempt(
  pod: PodInfo,
  error: FitError,
  snapshot: Snapshot,
  prepared: PreparedPlugins,
  plugins: readonly Plugin[],
  budgets: readonly PodDisruptionBudget[],
): Preemption {
  if (pod.pod.spec.preemptionPolicy === 'Never')
    return { nodeName: undefined, message: notEligible('preemptionPolicy=Never') };
  if (waitsForVictims(pod, snapshot)) {
    return { nodeName: undefined, message: notEligible('a terminating pod on the nominated node') };
  }
  const reasons: string[] = [];
  const candidates: Candidate[] = [];
  for (const node of snapshot.nodes) {
    const verdict = error.verdicts.get(node.name);
    if (!verdict || verdict.unresolvable) {
      reasons.push('Preemption is not helpful for scheduling');
      continue;
    }
    const candidate = tryNode(pod, node, snapshot, prepared, plugins, budgets);
    if (candidate) candidates.push(candidate);
    else reasons.push('No preemption victims found for incoming pod');
  }
  const best = candidates.reduce<Candidate | undefined>((a, b) => (a && isBetter(a, b) ? a : b), undefined);
  if (best) return { nodeName: best.node.name, victims: best.victims };
  return {
    nodeName: undefined,
    message: `preemption: 0/${snapshot.nodes.length} nodes are available: ${histogram(reasons)}.`,
  };
}

const notEligible = (why: string) => `preemption: not eligible due to ${why}.`;

/** Room is being made already: preempting more would be unkind. */
function waitsForVictims(pod: PodInfo, snapshot: Snapshot): boolean {
  const nominated = pod.pod.status.nominatedNodeName;
  const node = nominated ? snapshot.nodes.find(({ name }) => name === nominated) : undefined;
  return node?.pods.some((other) => other.isTerminating && other.priority < pod.priority) ?? false;
}

/** All less important pods leave; then as many as possible come back, the most important first. */
function tryNode(
  pod: PodInfo,
  node: NodeInfo,
  snapshot: Snapshot,
  prepared: PreparedPlugins,
  plugins: readonly Plugin[],
  budgets: readonly PodDisruptionBudget[],
): Candidate | undefined {
  const lesser = node.pods.filter((other) => other.priority < pod.priority);
  if (lesser.length === 0) return undefined;
  let trial = { node, prepared };
  for (const other of lesser) {
    trial = { node: trial.node.withoutPod(other.uid), prepared: adjust(trial.prepared, pod, other, node, -1) };
  }
  if (filterWithNominated(pod, trial.node, snapshot, trial.prepared, plugins)) return undefined;
  const { violating, harmless } = splitByBudgets(lesser, budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const other of [...violating.toSorted(byImportance), ...harmless.toSorted(byImportance)]) {
    const back = { node: trial.node.withPod(other), prepared: adjust(trial.prepared, pod, other, node, 1) };
    if (filterNode(pod, back.node, back.prepared, plugins)) {
      victims.push(other);
      if (violating.includes(other)) violations++;
    } else trial = back;
  }
  return { node, victims: victims.sort(byImportance), violations };
}

/** Pods whose end a budget does not allow, counting down as they would go one by one. */
function splitByBudgets(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]) {
  const left = budgets.map((budget) => ({
    namespace: budget.metadata.namespace,
    matcher: labelSelectorMatcher(budget.spec.selector),
    allowed: budget.status.disruptionsAllowed,
    already: budget.status.disruptedPods ?? {},
  }));
  const violating: PodInfo[] = [];
  const harmless: PodInfo[] = [];
  for (const pod of pods) {
    const name = pod.pod.metadata.name;
    const touched = left.filter(
      (budget) => budget.namespace === pod.namespace && budget.matcher.matches(pod.labels) && !(name in budget.already),
    );
    for (const budget of touched) budget.allowed--;
    (touched.some(({ allowed }) => allowed < 0) ? violating : harmless).push(pod);
  }
  return { violating, harmless };
}

function startMs({ pod }: PodInfo): number {
  const { startTime } = pod.status;
  return (startTime && parseTime(startTime)) || Number.MAX_SAFE_INTEGER;
}

/** The more important first; among equals the one that runs longer. */
function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || startMs(a) - startMs(b);
}

/** Upstream's order: fewest broken budgets, least important top victim, smallest sum, fewest victims, latest start. */
function isBetter(a: Candidate, b: Candidate): boolean {
  const rank = ({ victims, violations }: Candidate) => [
    violations,
    victims[0]?.priority ?? Number.MIN_SAFE_INTEGER,
    victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    victims.length,
    -Math.min(...victims.filter(({ priority }) => priority === victims[0]?.priority).map(startMs)),
  ];
  const ranks = rank(b);
  const firstOther = rank(a).findIndex((value, index) => value !== ranks[index]);
  return firstOther < 0 || (rank(a)[firstOther] ?? 0) < (ranks[firstOther] ?? 0);
}
