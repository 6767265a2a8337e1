import type { Deployment, ReplicaSet } from '@kubernode/api/apps/v1';
import { maxSurge, wantedBy } from './replica-sets.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
/** The history annotation grows no longer than this. */
const historyLengthMax = 2000;

/** Annotations that a deployment does not hand on to its sets. */
const own = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

/** 0 where there is none, or no number. */
export function revisionOf({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Annotations | undefined };
}): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

/** How large the deployment is meant to be, written on each set, so that a change of it can be told from a rollout. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedBy(deployment);
  return {
    [desiredAnnotation]: String(wanted),
    [maxAnnotation]: String(wanted + (wanted > 0 ? maxSurge(deployment) : 0)),
  };
}

/** The annotations of the set of the present template. An earlier revision of it goes into its history. */
export function newSetAnnotations(deployment: Deployment, set: ReplicaSet | undefined, revision: number): Annotations {
  const before: Annotations = set?.metadata.annotations ?? {};
  const handedOn = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !own.has(key));
  const merged = { ...before, ...Object.fromEntries(handedOn) };
  const old = before[revisionAnnotation];
  if (old !== undefined && Number(old) >= revision) return merged;
  const history = old === undefined ? undefined : [before[historyAnnotation], old].filter(Boolean).join(',');
  const fits = history !== undefined && history.length <= historyLengthMax;
  return { ...merged, [revisionAnnotation]: String(revision), ...(fits ? { [historyAnnotation]: history } : {}) };
}
