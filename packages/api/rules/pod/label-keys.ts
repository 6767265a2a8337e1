import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../generated/types/core/v1.ts';

type Keyed = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

/** Keys of labels become terms of the selector, with the values that the pod has (KEP-3633, KEP-3243). */
export function applyLabelKeys({ metadata, spec }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms: (Keyed | TopologySpreadConstraint)[] = [...(spec.topologySpreadConstraints ?? [])];
  for (const affinity of [podAffinity, podAntiAffinity]) {
    terms.push(...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []));
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    terms.push(...preferred.map(({ podAffinityTerm }) => podAffinityTerm));
  }
  for (const term of terms) apply(term, metadata.labels ?? {});
}

function apply(term: Keyed, labels: Readonly<Record<string, string>>): void {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (!labelSelector) return;
  const added = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
  const expressions = [...added(matchLabelKeys, 'In'), ...added(mismatchLabelKeys, 'NotIn')];
  if (expressions.length > 0)
    labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...expressions];
}
