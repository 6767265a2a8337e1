import type { Deployment, ReplicaSet } from '@kubernode/api/apps/v1';
import type { PodTemplateSpec } from '@kubernode/api/core/v1';
import { deepEqual, resolveIntOrPercent } from '@kubernode/machinery';

export const hashLabel = 'pod-template-hash';

/** Pods that a set is asked for. */
export const sizeOf = ({ spec }: ReplicaSet) => spec.replicas ?? 1;
export const wantedBy = ({ spec }: Deployment) => spec.replicas ?? 1;

export function total(sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (of(set) ?? 0), 0);
}

export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [a.metadata, b.metadata];
  if (left.creationTimestamp !== right.creationTimestamp)
    return left.creationTimestamp < right.creationTimestamp ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

/** The set of the deployment's present template: the oldest one, if several have it. */
export function findNew({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return sets.toSorted(byAge).find((set) => sameTemplate(set.spec.template, spec.template));
}

/** Whether two templates make the same pods; the hash that the controller adds does not count. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  const bare = ({ metadata, ...rest }: PodTemplateSpec) => {
    const { [hashLabel]: _, ...labels } = metadata.labels ?? {};
    return { ...rest, metadata: { ...metadata, labels } };
  };
  return deepEqual(bare(a), bare(b));
}

/** How many pods more than wanted a rolling update may run. */
export function maxSurge(deployment: Deployment): number {
  const { strategy } = deployment.spec;
  if (strategy.type === 'Recreate') return 0;
  return resolveIntOrPercent(strategy.rollingUpdate?.maxSurge ?? '25%', wantedBy(deployment), { roundUp: true });
}

/** How many pods may be missing; with no surge at least one, as nothing would ever move. */
export function maxUnavailable(deployment: Deployment): number {
  const { strategy } = deployment.spec;
  const wanted = wantedBy(deployment);
  if (strategy.type === 'Recreate' || wanted === 0) return 0;
  const limit = strategy.rollingUpdate?.maxUnavailable ?? '25%';
  const resolved = resolveIntOrPercent(limit, wanted, { roundUp: false });
  const effective = resolved === 0 && maxSurge(deployment) === 0 ? 1 : resolved;
  return Math.min(effective, wanted);
}
