import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { RequestLimits } from '../request-limits.ts';
import type { Attributes, ClusterState } from '../seams.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import type { FlowControl } from './flow-control.ts';
import { PriorityAndFairness } from './priority-and-fairness.ts';
import { MaxInFlight } from './max-in-flight.ts';
import type { WorkFacts } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly metrics: MetricsRegistry;
  readonly registry: ResourceRegistry;
}

/** Priority and fairness, or plain limits where that is turned off. */
export function createFlowControl(limits: RequestLimits, { clock, state, metrics, registry }: Parts): FlowControl {
  const { readsInFlightMax: reads, writesInFlightMax: writes } = limits;
  if (!limits.priorityAndFairness) return new MaxInFlight({ reads, writes });
  return new PriorityAndFairness({ clock, state, metrics, stored: storedOf(registry), serverSeats: reads + writes });
}

/** So many objects are looked at to guess the size of all. */
const sampleMax = 16;

function storedOf(registry: ResourceRegistry): WorkFacts['stored'] {
  const averages = new WeakMap<ResourceCache, { readonly at: number; readonly bytes: number }>();
  const cacheOf = ({ group, version, resource }: Attributes) => registry.find(group, version, resource)?.cache;
  return (attributes) => {
    const cache = cacheOf(attributes);
    if (!cache || cache.objects.size === 0) return undefined;
    const known = averages.get(cache);
    const average = known && known.at === cache.changedAt ? known.bytes : sampled(cache);
    if (known?.at !== cache.changedAt) averages.set(cache, { at: cache.changedAt, bytes: average });
    return { count: cache.objects.size, averageBytes: average };
  };
}

function sampled(cache: ResourceCache): number {
  let bytes = 0;
  let count = 0;
  for (const object of cache.objects.from(cache.prefix)) {
    bytes += object.byteLength;
    count += 1;
    if (count === sampleMax) break;
  }
  return bytes / count;
}
