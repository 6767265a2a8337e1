import { boundStore, type Change, type Store } from '@kubernode/store';
import { prefixOfKey, registryPrefix } from '../storage/keys.ts';
import type { MetricsRegistry } from './registry.ts';
import type { CounterSeries, HistogramSeries } from './series.ts';

const operationSeconds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** What is counted of one operation on one resource. */
interface Operation {
  readonly total: CounterSeries;
  readonly seconds: HistogramSeries;
  readonly fail: () => void;
}

/** The store with its operations timed, under the names that upstream gives its own store's. */
export function meteredStore(store: Store, registry: MetricsRegistry): Store {
  const labels = ['operation', 'group', 'resource'];
  const seconds = registry.histogram({
    name: 'etcd_request_duration_seconds',
    help: 'Etcd request latency in seconds for each operation and object type.',
    stability: 'ALPHA',
    labels,
    buckets: operationSeconds,
  });
  const total = registry.counter({
    name: 'etcd_requests_total',
    help: 'Etcd request counts for each operation and object type.',
    stability: 'ALPHA',
    labels,
  });
  const errors = registry.counter({
    name: 'etcd_request_errors_total',
    help: 'Etcd failed request counts for each operation and object type.',
    stability: 'ALPHA',
    labels,
  });
  const known = new Map<string, Operation>();
  registry.onForget(() => known.clear());
  const operationOn = (name: string, key: string): Operation => {
    const about = `${name} ${prefixOfKey(key)}`;
    let operation = known.get(about);
    if (!operation) {
      const { group, resource } = kindOfKey(key);
      const values = [name, group, resource] as const;
      operation = {
        total: total.of(...values),
        seconds: seconds.of(...values),
        fail: () => errors.of(...values).add(),
      };
      known.set(about, operation);
    }
    return operation;
  };
  const timed = async <T>(name: string, key: string, run: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const operation = operationOn(name, key);
    operation.total.add();
    try {
      return await run();
    } catch (error) {
      operation.fail();
      throw error;
    } finally {
      operation.seconds.observe((performance.now() - startedMs) / 1000);
    }
  };
  return {
    ...boundStore(store),
    get: (key, at) => timed('get', key, () => store.get(key, at)),
    list: (range, options) => timed('list', range.from, () => store.list(range, options)),
    write: (changes) => timed(operationOf(changes[0]), changes[0]?.key ?? '', () => store.write(changes)),
  };
}

function operationOf(change: Change | undefined): string {
  if (change?.value === undefined) return 'delete';
  return change.expect === 'absent' ? 'create' : 'update';
}

function kindOfKey(key: string): { readonly group: string; readonly resource: string } {
  const [group = '', resource = ''] = (prefixOfKey(key) ?? '').slice(registryPrefix.length).split('/');
  return { group: group === 'core' ? '' : group, resource };
}

/** How many objects there are of each resource, counted when somebody asks. */
export function objectMetrics(registry: MetricsRegistry, resources: () => Iterable<CountedResource>): void {
  const objects = registry.gauge({
    name: 'apiserver_resource_objects',
    help:
      'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will ' +
      'be -1.',
    stability: 'ALPHA',
    labels: ['group', 'resource'],
  });
  registry.onCollect(() => {
    for (const { group, resource, count } of resources()) objects.of(group, resource).set(count);
  });
}

export interface CountedResource {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}
