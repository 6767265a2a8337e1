import type { Quantity } from '@kubernode/api';
import type { Pod, PodStatus } from '@kubernode/api/core/v1';
import { quantityMilli } from '@kubernode/machinery';

export type QosClass = NonNullable<PodStatus['qosClass']>;

/** The quality of service class that the pod's requests and limits put it in (upstream: ComputePodQOS). */
export function podQosClass(pod: Pod): QosClass {
  const whole = pod.spec.resources;
  const parts =
    whole?.requests || whole?.limits
      ? [whole]
      : [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ resources }) => resources ?? {});
  const requests = sum(parts.map((part) => part.requests ?? {}));
  const limits = sum(parts.map((part) => part.limits ?? {}));
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const everyPartLimited = parts.every((part) => set(part.limits?.cpu) && set(part.limits?.memory));
  const same = [...requests].every(([name, value]) => limits.get(name) === value);
  return everyPartLimited && same && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

const set = (quantity: Quantity | undefined) => quantity !== undefined && quantityMilli(quantity) > 0;

function sum(lists: readonly Readonly<Record<string, Quantity>>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const list of lists) {
    for (const name of ['cpu', 'memory']) {
      const value = list[name] === undefined ? 0 : quantityMilli(list[name]);
      if (value > 0) total.set(name, (total.get(name) ?? 0) + value);
    }
  }
  return total;
}
