import { DaemonSet } from '@kubernode/api/apps/v1';
import type { Affinity, Node, Pod, PodSpec, Toleration } from '@kubernode/api/core/v1';
import { fitsNodeAffinity } from '../shared/node-affinity.ts';
import { controllerReference } from '../shared/owner-reference.ts';
import { toleratesTaint } from '../shared/tolerations.ts';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

const tolerated: readonly Toleration[] = [
  ['not-ready', 'NoExecute'] as const,
  ['unreachable', 'NoExecute'] as const,
  ['disk-pressure', 'NoSchedule'] as const,
  ['memory-pressure', 'NoSchedule'] as const,
  ['pid-pressure', 'NoSchedule'] as const,
  ['unschedulable', 'NoSchedule'] as const,
].map(([name, effect]) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));

/** Pods on the host's network need no network of the node. */
const networkUnavailable: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** What the template tolerates, and what all pods of daemons do: troubles of a node are no reason to leave it. */
export function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = hostNetwork ? [...tolerated, networkUnavailable] : tolerated;
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '');
  const kept = tolerations.filter((one) => !added.some((other) => isSame(one, other)));
  return [...kept, ...added];
}

/** Binds the pod to one node by affinity, so that the scheduler places it and can still make room for it. */
function affinityTo(nodeName: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...affinity, nodeAffinity };
}

/** The node that a pod runs on, or is meant for. */
export function nodeNameOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name')?.values?.[0];
}

export interface Placement {
  readonly shouldRun: boolean;
  /** One that is there already may stay, although a new one would not come. */
  readonly mayStay: boolean;
}

export function placementOn(set: DaemonSet, node: Node): Placement {
  const { spec } = set.spec.template;
  const nowhere = { shouldRun: false, mayStay: false };
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return nowhere;
  if (!fitsNodeAffinity(spec, node)) return nowhere;
  const tolerations = tolerationsOf(spec);
  const isTolerated = (effects: readonly string[]) =>
    (node.spec.taints ?? [])
      .filter(({ effect }) => effects.includes(effect))
      .every((taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint)));
  const shouldRun = isTolerated(['NoExecute', 'NoSchedule']);
  return { shouldRun, mayStay: shouldRun || isTolerated(['NoExecute']) };
}

/** What is sent to make the pod of a node. */
export function podFor(set: DaemonSet, nodeName: string, hash: string) {
  const { metadata, spec } = set.spec.template;
  const generation = set.metadata.annotations?.[generationAnnotation];
  return {
    metadata: {
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: {
        ...metadata.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [hashLabel]: hash,
      },
      annotations: metadata.annotations,
      finalizers: metadata.finalizers,
      ownerReferences: [controllerReference(DaemonSet, set)],
    },
    spec: { ...spec, affinity: affinityTo(nodeName, spec.affinity), tolerations: tolerationsOf(spec) },
  };
}

/** Whether the pod is of the present template. */
export function isUpdated(set: DaemonSet, { metadata }: Pod, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = metadata.labels ?? {};
  return labels[hashLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}
