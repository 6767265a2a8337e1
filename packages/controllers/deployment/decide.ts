import type { Deployment, ReplicaSet } from '@kubernode/api/apps/v1';
import { desiredAnnotation, maxAnnotation } from './annotations.ts';
import { byAge, maxSurge, maxUnavailable, sizeOf, total, wantedBy } from './replica-sets.ts';

/** A set that is to get another size. */
export interface Scale {
  readonly set: ReplicaSet;
  readonly to: number;
}

/** What the deployment has: the set of its present template, and those of earlier ones. */
export interface Sets {
  readonly fresh: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

const isActive = (set: ReplicaSet) => sizeOf(set) > 0;

/** Whether the wanted number changed since the sets were last sized: then they are scaled before a rollout goes on. */
export function isScaling(deployment: Deployment, { fresh, old }: Sets): boolean {
  const sets = [...old, ...(fresh ? [fresh] : [])].filter(isActive);
  return sets.some(({ metadata }) => {
    const desired = metadata.annotations?.[desiredAnnotation];
    return desired !== undefined && Number(desired) !== wantedBy(deployment);
  });
}

/** How large the set of the present template may be now. */
export function sizeOfNew(deployment: Deployment, fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): number {
  const wanted = wantedBy(deployment);
  if (deployment.spec.strategy.type === 'Recreate') return wanted;
  const size = fresh ? sizeOf(fresh) : 0;
  const running = size + total(old, sizeOf);
  const limit = wanted + maxSurge(deployment);
  return running >= limit ? size : size + Math.min(limit - running, wanted - size);
}

/** One step of a rolling update: the new set grows first, else the old ones shrink as far as availability allows. */
export function rollingStep(deployment: Deployment, { fresh, old }: Sets & { readonly fresh: ReplicaSet }): Scale[] {
  const wanted = wantedBy(deployment);
  const grown = sizeOf(fresh) > wanted ? wanted : sizeOfNew(deployment, fresh, old);
  if (grown !== sizeOf(fresh)) return [{ set: fresh, to: grown }];
  return shrinkOld(deployment, fresh, old);
}

/** Pods that are not available go first; then available ones, the oldest set's before the others'. */
function shrinkOld(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): Scale[] {
  const active = old.filter(isActive).toSorted(byAge);
  const all = [fresh, ...old];
  const least = wantedBy(deployment) - maxUnavailable(deployment);
  const freshMissing = sizeOf(fresh) - (fresh.status.availableReplicas ?? 0);
  const spare = total(all, sizeOf) - least - freshMissing;
  if (active.length === 0 || spare <= 0) return [];
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  let left = spare;
  for (const set of active) {
    const unhealthy = Math.min(left, sizeOf(set) - (set.status.availableReplicas ?? 0));
    if (unhealthy <= 0) continue;
    sizes.set(set, sizeOf(set) - unhealthy);
    left -= unhealthy;
  }
  let available = total(all, ({ status }) => status.availableReplicas) - least;
  for (const set of active) {
    const size = sizes.get(set) ?? 0;
    const share = Math.min(size, available);
    if (share <= 0) continue;
    sizes.set(set, size - share);
    available -= share;
  }
  return active.map((set) => ({ set, to: sizes.get(set) ?? 0 })).filter(({ set, to }) => to !== sizeOf(set));
}

/** All old sets end at once (strategy Recreate). */
export function endOld(old: readonly ReplicaSet[]): Scale[] {
  return old.filter(isActive).map((set) => ({ set, to: 0 }));
}

/** Gives the sets the wanted number while no rollout moves: the only active one alone, several in proportion. */
export function scaleStep(deployment: Deployment, { fresh, old }: Sets): Scale[] {
  const wanted = wantedBy(deployment);
  const all = [...old, ...(fresh ? [fresh] : [])];
  const active = all.filter(isActive);
  const only = active.length <= 1 ? (active[0] ?? fresh ?? old.toSorted(byAge).at(-1)) : undefined;
  if (active.length <= 1) return only && sizeOf(only) !== wanted ? [{ set: only, to: wanted }] : [];
  if (fresh && isSaturated(deployment, fresh)) return endOld(old);
  if (deployment.spec.strategy.type === 'Recreate') return [];
  return inProportion(deployment, active);
}

/** The new set has all pods that are wanted, and they are available. */
function isSaturated(deployment: Deployment, { spec, status, metadata }: ReplicaSet): boolean {
  const wanted = wantedBy(deployment);
  const desired = Number(metadata.annotations?.[desiredAnnotation] ?? Number.NaN);
  return spec.replicas === wanted && desired === wanted && status.availableReplicas === wanted;
}

/** Each set grows or shrinks by its share; what rounding leaves goes to the largest. */
function inProportion(deployment: Deployment, active: readonly ReplicaSet[]): Scale[] {
  const wanted = wantedBy(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - total(active, sizeOf);
  const bySize = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  let added = 0;
  const sizes = bySize.map((set) => {
    const share = toAdd === 0 ? 0 : shareOf(deployment, set, toAdd - added);
    added += share;
    return sizeOf(set) + share;
  });
  if (toAdd !== 0) sizes[0] = Math.max(0, (sizes[0] ?? 0) + toAdd - added);
  return bySize.map((set, index) => ({ set, to: sizes[index] ?? 0 }));
}

function shareOf(deployment: Deployment, set: ReplicaSet, left: number): number {
  const size = sizeOf(set);
  if (size === 0 || left === 0) return 0;
  const wanted = wantedBy(deployment);
  const annotated = Number(set.metadata.annotations?.[maxAnnotation]) || deployment.status.replicas || 1;
  const share = wanted === 0 ? -size : Math.round((size * (wanted + maxSurge(deployment))) / annotated) - size;
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** Sets beyond the history limit that hold no pods any more: the oldest revisions. */
export function beyondHistory(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  revisionOf: (set: ReplicaSet) => number,
): ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit ?? 10;
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const excess = alive.length - limit;
  if (excess <= 0) return [];
  const oldest = alive.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, excess);
  return oldest.filter(
    ({ metadata, spec, status }) =>
      status.replicas === 0 && spec.replicas === 0 && (metadata.generation ?? 0) <= (status.observedGeneration ?? 0),
  );
}
