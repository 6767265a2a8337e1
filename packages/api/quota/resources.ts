import type { Container, Pod, ResourceRequirements } from '../generated/types/core/v1.ts';
import { addQuantities, compareQuantities } from '@kubernode/machinery';

/** Amounts by resource name. */
export type ResourceList = Readonly<Record<string, string | number>>;

/** A name may be that of something every object inherits: `constructor`. */
export function amountOf<T>(list: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return list && Object.hasOwn(list, name) ? list[name] : undefined;
}

export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  const sum: Record<string, string | number> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    const present = amountOf(sum, name);
    sum[name] = present === undefined ? amount : addQuantities(present, amount);
  }
  return sum;
}

/** Of each resource the larger amount. */
function maxLists(a: ResourceList, b: ResourceList): ResourceList {
  const max: Record<string, string | number> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    const present = amountOf(max, name);
    if (present === undefined || compareQuantities(amount, present) > 0) max[name] = amount;
  }
  return max;
}

/**
 * What a pod takes: its containers together, or an init container with the sidecars before it where that is more, plus
 * the overhead (KEP-753, "resources calculation"); amounts for the whole pod win where they are given (KEP-2837).
 */
export function podResources(pod: Pod, what: 'requests' | 'limits'): ResourceList {
  const of = (container: Container): ResourceList => listOf(container.resources, what);
  let together: ResourceList = {};
  for (const container of pod.spec.containers) together = addLists(together, of(container));
  let sidecars: ResourceList = {};
  let initMax: ResourceList = {};
  for (const container of pod.spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      together = addLists(together, of(container));
      sidecars = addLists(sidecars, of(container));
      initMax = maxLists(initMax, sidecars);
    } else initMax = maxLists(initMax, addLists(sidecars, of(container)));
  }
  const all = { ...maxLists(together, initMax), ...listOf(pod.spec.resources, what) };
  const overhead: ResourceList = pod.spec.overhead ?? {};
  if (what === 'requests') return addLists(all, overhead);
  const limited = Object.entries(overhead).filter(([name]) => all[name] !== undefined);
  return addLists(all, Object.fromEntries(limited));
}

const listOf = (resources: ResourceRequirements | undefined, what: 'requests' | 'limits'): ResourceList =>
  resources?.[what] ?? {};
