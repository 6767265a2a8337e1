import { compareQuantities } from '@kubernode/machinery';
import type { Pod } from '../../generated/types/core/v1.ts';

type Resources = { readonly [name: string]: string | number };
const counted = ['cpu', 'memory'];

/** Guaranteed: every container has limits of cpu and memory, all requested. BestEffort: none asks for anything. */
export function qosClass({ spec }: Pick<Pod, 'spec'>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const podLevel = spec.resources ? [{ resources: spec.resources }] : undefined;
  const asks = podLevel ?? [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  let any = false;
  let guaranteed = true;
  for (const { resources } of asks) {
    const limits = positive(resources?.limits);
    const requests = positive(resources?.requests);
    any ||= Object.keys(limits).length > 0 || Object.keys(requests).length > 0;
    guaranteed &&= counted.every((name) => {
      const limit = limits[name];
      return limit !== undefined && compareQuantities(requests[name] ?? limit, limit) === 0;
    });
  }
  if (!any) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function positive(resources: Resources | undefined): Resources {
  const entries = Object.entries(resources ?? {});
  return Object.fromEntries(
    entries.filter(([name, quantity]) => counted.includes(name) && compareQuantities(quantity, '0') > 0),
  );
}
