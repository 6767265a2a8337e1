import type { PodAffinityTerm } from '@kubernode/api/core/v1';
import { labelSelectorMatcher, type LabelMatcher } from '@kubernode/machinery';
import { plugin, refuse, refuseForGood } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { stretch } from '../scores.ts';
import type { Snapshot } from '../snapshot.ts';
import { nodeChanged } from './node-plugins.ts';

type NamespaceLabels = Snapshot['namespaceLabels'];

/** A term made ready to be asked about many pods. */
interface Term {
  readonly topologyKey: string;
  matches(other: PodInfo): boolean;
}

/** Topology key → its value → how many pods (or points) there. */
type Places = ReadonlyMap<string, ReadonlyMap<string, number>>;
type Counting = Map<string, Map<string, number>>;

interface Prepared {
  readonly affinity: readonly Term[];
  readonly antiAffinity: readonly Term[];
  /** Where pods are that match all affinity terms; a place for each term. */
  readonly wanted: Places;
  /** Where pods are that match an anti-affinity term. */
  readonly unwanted: Places;
  /** Where pods are that do not want this one. */
  readonly refusing: Places;
  readonly labelsOf: NamespaceLabels;
}

/** An existing pod that must have the new one near it counts as this much preference. */
const hardAffinityWeight = 1;

export const interPodAffinity = plugin<Prepared>({
  name: 'InterPodAffinity',
  weight: 2,
  requeueOn: [
    { on: 'podAdded' },
    { on: 'podUpdated' },
    { on: 'podDeleted' },
    ...nodeChanged(({ metadata }) => metadata.labels),
  ],
  prepare(pod, { nodes, namespaceLabels }) {
    const affinity = termsOf(pod.requiredAffinity, pod, namespaceLabels);
    const antiAffinity = termsOf(pod.requiredAntiAffinity, pod, namespaceLabels);
    const prepared = { affinity, antiAffinity, labelsOf: namespaceLabels };
    const places = { wanted: copyOf(), unwanted: copyOf(), refusing: copyOf() };
    const looksAtAll = affinity.length > 0 || antiAffinity.length > 0;
    for (const node of nodes) {
      for (const other of looksAtAll ? node.pods : node.podsWithAffinity) count(prepared, places, pod, other, node, 1);
    }
    return { ...prepared, ...places };
  },
  filter(pod, node, prepared) {
    if (!isWanted(pod, node, prepared)) return refuseForGood("node(s) didn't match pod affinity rules");
    if (prepared.antiAffinity.some(({ topologyKey }) => has(prepared.unwanted, topologyKey, node))) {
      return refuse("node(s) didn't match pod anti-affinity rules");
    }
    const refused = prepared.refusing.keys().some((key) => has(prepared.refusing, key, node));
    return refused ? refuse("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
  },
  adjust(prepared, pod, other, node, by) {
    const { wanted, unwanted, refusing } = prepared;
    const places = { wanted: copyOf(wanted), unwanted: copyOf(unwanted), refusing: copyOf(refusing) };
    count(prepared, places, pod, other, node, by);
    return { ...prepared, ...places };
  },
  score(pod, nodes, { nodes: all, namespaceLabels }) {
    const points = preferences(pod, all, namespaceLabels);
    if (points.size === 0) return undefined;
    const raw = nodes.map((node) => points.keys().reduce((sum, key) => sum + numberAt(points, key, node), 0));
    return stretch(raw);
  },
});

function count(
  prepared: Pick<Prepared, 'affinity' | 'antiAffinity' | 'labelsOf'>,
  places: { readonly [K in 'wanted' | 'unwanted' | 'refusing']: Counting },
  pod: PodInfo,
  other: PodInfo,
  node: NodeInfo,
  by: number,
): void {
  const { affinity, antiAffinity, labelsOf } = prepared;
  if (affinity.length > 0 && affinity.every((term) => term.matches(other))) {
    for (const { topologyKey } of affinity) addPlace(places.wanted, topologyKey, node, by);
  }
  for (const term of antiAffinity) if (term.matches(other)) addPlace(places.unwanted, term.topologyKey, node, by);
  for (const term of termsOf(other.requiredAntiAffinity, other, labelsOf)) {
    if (term.matches(pod)) addPlace(places.refusing, term.topologyKey, node, by);
  }
}

/** A pod that nobody matches yet, but that matches itself, is the first of its group and may go anywhere with the keys. */
function isWanted(pod: PodInfo, node: NodeInfo, { affinity, wanted }: Prepared): boolean {
  if (affinity.length === 0) return true;
  if (affinity.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
  if (affinity.every(({ topologyKey }) => has(wanted, topologyKey, node))) return true;
  const nobody = !wanted.values().some((numbers) => numbers.values().some((number) => number > 0));
  return nobody && affinity.every((term) => term.matches(pod));
}

function preferences(pod: PodInfo, nodes: readonly NodeInfo[], labelsOf: NamespaceLabels): Places {
  const points: Counting = new Map();
  const { podAffinity, podAntiAffinity } = pod.pod.spec.affinity ?? {};
  const own = [
    ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
    ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
  ].map(({ term, weight }) => ({ ...termOf(term, pod, labelsOf), weight }));
  for (const node of nodes) {
    for (const other of own.length > 0 ? node.pods : node.podsWithAffinity) {
      for (const term of own) if (term.matches(other)) addPlace(points, term.topologyKey, node, term.weight);
      for (const { term, weight } of preferencesOf(other)) {
        const ready = termOf(term, other, labelsOf);
        if (ready.matches(pod)) addPlace(points, ready.topologyKey, node, weight);
      }
    }
  }
  return points;
}

function preferencesOf({ pod, requiredAffinity }: PodInfo): { term: PodAffinityTerm; weight: number }[] {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  return [
    ...requiredAffinity.map((term) => ({ term, weight: hardAffinityWeight })),
    ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
    ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
  ];
}

function weighted(
  terms: readonly { podAffinityTerm: PodAffinityTerm; weight: number }[] | undefined,
  sign: 1 | -1,
): { term: PodAffinityTerm; weight: number }[] {
  return (terms ?? []).map(({ podAffinityTerm, weight }) => ({ term: podAffinityTerm, weight: sign * weight }));
}

const termsOf = (terms: readonly PodAffinityTerm[], owner: PodInfo, labelsOf: NamespaceLabels) =>
  terms.map((term) => termOf(term, owner, labelsOf));

const matchers = new WeakMap<PodAffinityTerm, LabelMatcher>();

/** Namespaces: those listed, those selected; the owner's own where neither is given. */
function termOf(term: PodAffinityTerm, owner: PodInfo, labelsOf: NamespaceLabels): Term {
  const matcher = matchers.get(term) ?? labelSelectorMatcher(term.labelSelector);
  matchers.set(term, matcher);
  const { namespaces = [], namespaceSelector } = term;
  const selector = namespaceSelector ? labelSelectorMatcher(namespaceSelector) : undefined;
  const isIn = (namespace: string) =>
    namespaces.length === 0 && !selector
      ? namespace === owner.namespace
      : namespaces.includes(namespace) || (selector?.matches(labelsOf(namespace)) ?? false);
  return { topologyKey: term.topologyKey, matches: (other) => matcher.matches(other.labels) && isIn(other.namespace) };
}

function addPlace(places: Counting, key: string, node: NodeInfo, by: number): void {
  const value = node.labels[key];
  if (value === undefined) return;
  const numbers = places.get(key) ?? new Map<string, number>();
  places.set(key, numbers.set(value, (numbers.get(value) ?? 0) + by));
}

function numberAt(places: Places, key: string, node: NodeInfo): number {
  const value = node.labels[key];
  return value === undefined ? 0 : (places.get(key)?.get(value) ?? 0);
}

const has = (places: Places, key: string, node: NodeInfo) => numberAt(places, key, node) > 0;

function copyOf(places: Places = new Map()): Counting {
  return new Map([...places].map(([key, numbers]) => [key, new Map(numbers)]));
}
