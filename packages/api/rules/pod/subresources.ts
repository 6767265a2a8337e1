import { deepEqual } from '@kubernode/machinery';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid } from '../cause.ts';
import { byName } from './by-name.ts';
import { podResourceDefaults } from './pod-resources.ts';
import { podSpec } from './spec.ts';
import { qosClass } from './qos.ts';

const resizable = new Set(['cpu', 'memory']);

/** What an update through `ephemeralcontainers` leaves of a client's pod: the old one with that list. */
export function prepareEphemeralContainers(pod: Pod, old: Pod): Pod {
  return { ...old, metadata: pod.metadata, spec: { ...old.spec, ephemeralContainers: pod.spec.ephemeralContainers } };
}

/** Ephemeral containers are only ever added. */
export function ephemeralContainersUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const at = 'spec.ephemeralContainers';
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  const changes = (old.spec.ephemeralContainers ?? []).flatMap((before) => {
    const after = now.get(before.name);
    const what = `existing ephemeral containers "${before.name}" may not be`;
    if (!after) return [forbidden(at, `${what} removed\n`)];
    return deepEqual(after, before) ? [] : [forbidden(at, `${what} changed\n`)];
  });
  return [...podSpec(pod.spec, 'spec', pod.metadata), ...changes];
}

/** What an update through `resize` leaves of a client's pod: the old one with its own and its containers' resources (KEP-5419). */
export function prepareResize(pod: Pod, old: Pod): Pod {
  const merge = (list: readonly Container[] | undefined, wanted: readonly Container[] = []) => {
    const wantedOf = byName(wanted);
    return list?.map((container) => {
      const next = wantedOf.get(container.name);
      if (!next) return container;
      return { ...container, resources: next.resources, resizePolicy: next.resizePolicy };
    });
  };
  const spec: PodSpec = { ...old.spec, containers: merge(old.spec.containers, pod.spec.containers) ?? [] };
  const init = merge(old.spec.initContainers, pod.spec.initContainers);
  if (init) spec.initContainers = init;
  // A client that does not know the field leaves it out, and does not mean to remove it.
  const resources = pod.spec.resources ?? old.spec.resources;
  if (resources) spec.resources = { ...resources };
  const resized = { ...old, metadata: pod.metadata, spec };
  podResourceDefaults(resized);
  return resized;
}

/** Only cpu and memory change, limits stay limits, and the pod stays in its class of service. */
export function resizeUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const found = [...podSpec(pod.spec, 'spec', pod.metadata), ...removed(pod.spec, old.spec)];
  if (qosClass(pod) !== (old.status.qosClass ?? qosClass(old))) {
    found.push(invalid('spec', pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  const running = old.status.containerStatuses?.find(({ state }) => state?.running);
  if (running && !running.resources) found.push(forbidden('spec', 'Pod running on node without support for resize'));
  found.push(...podLevel(pod.spec.resources, old.spec.resources));
  const isOther = pod.spec.containers.some((container, index) => !sameOthers(container, old.spec.containers[index]));
  // Empty resources ask for nothing, yet change the spec.
  const { resources } = pod.spec;
  const isEmptied = !old.spec.resources && resources && !resources.requests && !resources.limits && !resources.claims;
  if (isOther || isEmptied) found.push(forbidden('spec', 'only cpu and memory resources are mutable'));
  return found;
}

function removed(spec: PodSpec, old: PodSpec): FieldCause[] {
  return spec.containers.flatMap((container, index) =>
    (['limits', 'requests'] as const).flatMap((list) => {
      const before = Object.keys(old.containers[index]?.resources?.[list] ?? {});
      const after = container.resources?.[list] ?? {};
      const isRemoved = before.some((name) => resizable.has(name) && !(name in after));
      return isRemoved
        ? [forbidden(`spec.containers[${index}].resources.${list}`, `resource ${list} cannot be removed`)]
        : [];
    }),
  );
}

/** What the pod as a whole asks for is never taken back, and only cpu and memory of it change. */
function podLevel(now: ResourceRequirements = {}, before: ResourceRequirements = {}): FieldCause[] {
  const found = (['requests', 'limits'] as const).flatMap((list) => {
    const isRemoved = Object.keys(before[list] ?? {}).some((name) => !Object.hasOwn(now[list] ?? {}, name));
    const detail = `pod-level resource ${list} cannot be removed`;
    return isRemoved ? [forbidden(`spec.resources.${list}`, detail)] : [];
  });
  const isSame = sameOtherAmounts(now, before) && deepEqual(now.claims ?? [], before.claims ?? []);
  return isSame ? found : [...found, forbidden('spec', 'only cpu and memory resources are mutable at pod-level')];
}

function sameOthers(container: Container, old: Container | undefined): boolean {
  return sameOtherAmounts(container.resources, old?.resources);
}

function sameOtherAmounts(now: ResourceRequirements = {}, before: ResourceRequirements = {}): boolean {
  const others = (list: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(Object.entries(list).filter(([name]) => !resizable.has(name)));
  return (
    deepEqual(others(now.limits), others(before.limits)) && deepEqual(others(now.requests), others(before.requests))
  );
}
