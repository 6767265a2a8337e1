import { deepEqual } from '@kubernode/machinery';
import type { Container, NodeAffinity, Pod, PodSpec, Toleration } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid } from '../cause.ts';
import { isEmpty } from '../values.ts';

const onlyThese =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const notWhileRunning = 'existing toleration can not be modified except its tolerationSeconds';

/** What a plain update may change of a pod: images, a shorter deadline, more tolerations, and little else. */
export function podUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const found = sameNumber(pod.spec, old.spec);
  if (found.length > 0) return found;
  return [
    ...deadlineOnlyShorter(pod.spec, old.spec),
    ...tolerationsOnlyAdded(pod.spec.tolerations ?? [], old.spec.tolerations ?? []),
    ...gatesOnlyRemoved(pod.spec, old.spec),
    ...nothingElse(pod.spec, old.spec),
  ];
}

function sameNumber(spec: PodSpec, old: PodSpec): FieldCause[] {
  const lists = ['containers', 'initContainers'] as const;
  return lists
    .filter((name) => (spec[name] ?? []).length !== (old[name] ?? []).length)
    .slice(0, 1)
    .map((name) => forbidden(`spec.${name}`, 'pod updates may not add or remove containers'));
}

function deadlineOnlyShorter(spec: PodSpec, old: PodSpec): FieldCause[] {
  const at = 'spec.activeDeadlineSeconds';
  const before = old.activeDeadlineSeconds;
  const after = spec.activeDeadlineSeconds;
  if (before === undefined || after === before) return [];
  if (after === undefined) return [invalid(at, undefined, 'must not update from a positive integer to nil value')];
  if (after <= before) return [];
  return [invalid(at, after, 'must be less than or equal to previous value')];
}

function tolerationsOnlyAdded(after: readonly Toleration[], before: readonly Toleration[]): FieldCause[] {
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: Toleration) => rest;
  const kept = before.every((one) => after.some((other) => deepEqual(withoutSeconds(one), withoutSeconds(other))));
  return kept ? [] : [forbidden('spec.tolerations', notWhileRunning)];
}

function gatesOnlyRemoved(spec: PodSpec, old: PodSpec): FieldCause[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const added = (spec.schedulingGates ?? []).filter(({ name }) => !before.has(name)).map(({ name }) => name);
  if (added.length === 0) return [];
  const names = added.map((name) => `"${name}"`).join(', ');
  return [forbidden('spec.schedulingGates', `only deletion is allowed, but found new scheduling gates '${names}'`)];
}

/** What is left when all that may change is put back: it must be equal. */
function nothingElse(spec: PodSpec, old: PodSpec): FieldCause[] {
  const isGated = !isEmpty(old.schedulingGates);
  const expected: PodSpec = {
    ...spec,
    containers: withImagesOf(spec.containers, old.containers),
    initContainers: withImagesOf(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
  };
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    expected.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  const narrowed = isGated ? narrowing(expected, old) : [];
  return deepEqual(expected, old) ? narrowed : [...narrowed, forbidden('spec', onlyThese)];
}

/** A gated pod may still be narrowed to fewer nodes; what is judged here is put back in `expected`. */
function narrowing(expected: PodSpec, old: PodSpec): FieldCause[] {
  const found: FieldCause[] = [];
  if (!deepEqual(expected.nodeSelector, old.nodeSelector)) {
    if (!onlyAddsLabels(expected.nodeSelector, old.nodeSelector)) {
      const detail = 'only additions are allowed (no mutations or deletions)';
      found.push(invalid('spec.nodeSelector', expected.nodeSelector, detail));
    }
    expected.nodeSelector = old.nodeSelector;
  }
  const before = old.affinity?.nodeAffinity;
  const after = expected.affinity?.nodeAffinity;
  if (deepEqual(after, before)) return found;
  found.push(...nodeAffinityNarrowing(after, before));
  const { nodeAffinity: _, ...others } = expected.affinity ?? {};
  const hasOthers = Object.keys(others).length > 0;
  if (before) expected.affinity = { ...others, nodeAffinity: before };
  else if (hasOthers) expected.affinity = others;
  else expected.affinity = old.affinity;
  return found;
}

/** Required terms stay as many as they are, each with all it asked for; what is only preferred is free. */
function nodeAffinityNarrowing(after: NodeAffinity | undefined, before: NodeAffinity | undefined): FieldCause[] {
  const at = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const terms = before?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const now = after?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [];
  if (terms.length !== now.length) {
    return [invalid(at, now, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return terms.flatMap((term, index) => {
    const next = now[index];
    const isKept = (['matchExpressions', 'matchFields'] as const).every((list) =>
      (term[list] ?? []).every((one, position) => deepEqual(one, next?.[list]?.[position])),
    );
    return isKept ? [] : [invalid(`${at}[${index}]`, next, 'only additions are allowed (no mutations or deletions)')];
  });
}

function withImagesOf<C extends Container>(containers: C[] | undefined, old: C[] | undefined): C[] {
  return (containers ?? []).map((container, index) => ({ ...container, image: old?.[index]?.image }));
}

function onlyAddsLabels(after: Record<string, string> = {}, before: Record<string, string> = {}): boolean {
  return Object.entries(before).every(([key, value]) => after[key] === value);
}

/** What an update of the status may not touch. */
export function podStatusUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const found: FieldCause[] = [];
  if (pod.spec.nodeName !== old.spec.nodeName) found.push(forbidden('spec.nodeName', 'may not be changed directly'));
  return [...found, ...restarts(pod, old)];
}

/** A container that has ended and is not to be started again stays as it is. */
function restarts({ spec, status }: Pod, { status: before }: Pod): FieldCause[] {
  if (spec.restartPolicy === 'Always') return [];
  return (before?.containerStatuses ?? []).flatMap((old, index) => {
    const terminated = old.state?.terminated;
    if (!terminated || (terminated.exitCode !== 0 && spec.restartPolicy === 'OnFailure')) return [];
    const now = status?.containerStatuses?.find(({ name }) => name === old.name);
    if (!now || now.state?.terminated) return [];
    const at = `status.containerStatuses[${index}].state`;
    return [forbidden(at, 'may not be transitioned to non-terminated state')];
  });
}
