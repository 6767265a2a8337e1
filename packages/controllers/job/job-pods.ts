import { Job } from '@kubernode/api/batch/v1';
import type { Container, Pod } from '@kubernode/api/core/v1';
import { parseTime } from '@kubernode/machinery';
import { controllerReference } from '../shared/owner-reference.ts';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';

export const isIndexed = ({ spec }: Job) => spec.completionMode === 'Indexed';
export const countsPerIndex = ({ spec }: Job) => isIndexed({ spec } as Job) && spec.backoffLimitPerIndex !== undefined;
export const isTracked = ({ metadata }: Pod) => metadata.finalizers?.includes(trackingFinalizer) ?? false;
/** Replacements wait until a pod has really ended. */
export const replacesFailedOnly = ({ spec }: Job) => spec.podReplacementPolicy === 'Failed';

/** The pod's completion index; undefined where it has none within `completions`. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata.annotations?.[indexKey];
  const index = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Whether the pod counts as failed: also one that is on its way out, unless replacements wait for its end. */
export function hasFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status.phase === 'Failed') return true;
  if (replacesFailedOnly(job)) return false;
  return metadata.deletionTimestamp !== undefined && status.phase !== 'Succeeded';
}

export const failureCountOf = ({ metadata }: Pod) => Number(metadata.annotations?.[failureCountKey] ?? 0) || 0;
const ignoredCountOf = ({ metadata }: Pod) => Number(metadata.annotations?.[ignoredCountKey] ?? 0) || 0;

/** When the pod ended: its last container's end, else its deletion, else now. */
export function endedMs({ metadata, status }: Pod, nowMs: number): number {
  const ends = (status.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt);
  const times = ends.map((end) => (end ? parseTime(end) : undefined)).filter((time) => time !== undefined);
  if (times.length > 0) return Math.max(...times);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const deleted = deletionTimestamp ? parseTime(deletionTimestamp) : undefined;
  return deleted === undefined ? nowMs : deleted - Number(deletionGracePeriodSeconds) * 1000;
}

/** What is sent to make a pod. `replaced`: the last failed pod of its index, where failures are counted per index. */
export function podOf(job: Job, index: number | undefined, replaced?: { readonly pod: Pod; readonly counts: boolean }) {
  const { metadata, spec } = job.spec.template;
  const { name, namespace } = job.metadata;
  const own = {
    generateName: `${name}-`,
    namespace,
    labels: metadata.labels,
    annotations: metadata.annotations,
    finalizers: [...(metadata.finalizers ?? []), trackingFinalizer],
    ownerReferences: [controllerReference(Job, job)],
  };
  if (index === undefined) return { metadata: own, spec };
  const annotations = { ...own.annotations, [indexKey]: String(index), ...failureCounts(job, replaced) };
  return {
    metadata: {
      ...own,
      generateName: `${shortened(`${name}-${index}`)}-`,
      labels: { ...own.labels, [indexKey]: String(index) },
      annotations,
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers: spec.containers.map(withIndex),
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndex) } : {}),
    },
  };
}

/** A generated name has room for so much before its dash and random letters (63 characters in all). */
const baseLengthMax = 63 - 6;
const shortened = (base: string) => base.slice(-baseLengthMax);

function failureCounts(job: Job, replaced: { readonly pod: Pod; readonly counts: boolean } | undefined) {
  if (!countsPerIndex(job)) return {};
  if (!replaced) return { [failureCountKey]: '0' };
  const { pod, counts } = replaced;
  const ignored = ignoredCountOf(pod) + (counts ? 0 : 1);
  return {
    [failureCountKey]: String(failureCountOf(pod) + (counts ? 1 : 0)),
    ...(ignored > 0 ? { [ignoredCountKey]: String(ignored) } : {}),
  };
}

/** Tells the container its index by the pod's label. */
function withIndex<T extends Pick<Container, 'env'>>(container: T): T {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  return { ...container, env: [...env, { name: indexVariable, valueFrom }] };
}
