import type { Container, NodeAffinity, Pod, PodSpec, Toleration } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, required } from '../cause.ts';
import { isEmpty, semanticallyEqual } from '../values.ts';
import { podAnnotationsUpdate } from './annotations.ts';
import { toleration } from './scheduling.ts';

const onlyThese =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const notWhileRunning = 'existing toleration can not be modified except its tolerationSeconds';
const secondsMax = 2 ** 31 - 1;

/** What a plain update may change of a pod: images, a shorter deadline, more tolerations, and little else. */
export function podUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const found = podAnnotationsUpdate(pod, old);
  for (const name of ['containers', 'initContainers'] as const) {
    const list = pod.spec[name] ?? [];
    if (list.length !== (old.spec[name] ?? []).length)
      return [...found, forbidden(`spec.${name}`, 'pod updates may not add or remove containers')];
    found.push(...images(list, `spec.${name}`));
  }
  const deadline = deadlineOnlyShorter(pod.spec, old.spec);
  found.push(...deadline.found);
  if (deadline.ends) return found;
  found.push(...tolerationsOnlyAdded(pod.spec.tolerations ?? [], old.spec.tolerations ?? []));
  found.push(...gatesOnlyRemoved(pod.spec, old.spec));
  return semanticallyEqual(pod.spec, old.spec) ? found : [...found, ...nothingElse(pod.spec, old.spec)];
}

/** Upstream judges images once more here. */
function images(containers: readonly Container[], path: string): FieldCause[] {
  return containers.flatMap(({ image = '' }, index) => {
    const at = `${path}[${index}].image`;
    if (!image) return [required(at)];
    return image === image.trim() ? [] : [invalid(at, image, 'must not have leading or trailing whitespace')];
  });
}

/** A wrong deadline ends the judging of the update. */
function deadlineOnlyShorter(spec: PodSpec, old: PodSpec): { readonly found: FieldCause[]; readonly ends: boolean } {
  const at = 'spec.activeDeadlineSeconds';
  const { activeDeadlineSeconds: before } = old;
  const { activeDeadlineSeconds: after } = spec;
  const wrong = (detail: string, ends: boolean) => ({ found: [invalid(at, after, detail)], ends });
  if (after === undefined) {
    return before === undefined
      ? { found: [], ends: false }
      : wrong('must not update from a positive integer to nil value', false);
  }
  if (after < 0 || after > secondsMax) return wrong(`must be between 0 and ${secondsMax}, inclusive`, true);
  if (before !== undefined && after > before) return wrong('must be less than or equal to previous value', true);
  return { found: [], ends: false };
}

function tolerationsOnlyAdded(after: readonly Toleration[], before: readonly Toleration[]): FieldCause[] {
  const textOf = ({ key, operator, value, effect }: Toleration) =>
    JSON.stringify([key, operator, value, effect].map((part) => part ?? ''));
  const now = new Set(after.map(textOf));
  const isKept = before.every((one) => now.has(textOf(one)));
  if (!isKept) return [forbidden('spec.tolerations', notWhileRunning)];
  return after.flatMap((one, index) => [...toleration(one, `spec.tolerations[${index}]`)]);
}

function gatesOnlyRemoved(spec: PodSpec, old: PodSpec): FieldCause[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const places = new Map((spec.schedulingGates ?? []).map(({ name }, index) => [name, index]));
  return [...places]
    .filter(([name]) => !before.has(name))
    .map(([name, index]) =>
      forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
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
  return semanticallyEqual(expected, old) ? narrowed : [...narrowed, forbidden('spec', onlyThese)];
}

/** A gated pod may still be narrowed to fewer nodes; what is judged here is put back in `expected`. */
function narrowing(expected: PodSpec, old: PodSpec): FieldCause[] {
  const found: FieldCause[] = [];
  if (!semanticallyEqual(expected.nodeSelector, old.nodeSelector)) {
    if (!onlyAddsLabels(expected.nodeSelector, old.nodeSelector)) {
      const detail = 'only additions are allowed (no mutations or deletions)';
      found.push(invalid('spec.nodeSelector', expected.nodeSelector, detail));
    }
    expected.nodeSelector = old.nodeSelector;
  }
  const before = old.affinity?.nodeAffinity;
  const after = expected.affinity?.nodeAffinity;
  if (semanticallyEqual(after, before)) return found;
  found.push(...nodeAffinityNarrowing(after, before));
  const { nodeAffinity: _, ...others } = expected.affinity ?? {};
  const hasOthers = Object.values(others).some((value) => value !== undefined);
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
    const lists = ['matchExpressions', 'matchFields'] as const;
    const wasEmpty = lists.every((list) => isEmpty(term[list]));
    const isKept = lists.every(
      (list) =>
        !(wasEmpty && !isEmpty(next?.[list])) &&
        (term[list] ?? []).every((one, position) => semanticallyEqual(one, next?.[list]?.[position])),
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
