import type { Change, Store } from '@kubernode/store';
import { prefixOfKey, registryPrefix } from '../storage/keys.ts';
import type { MetricsRegistry } from './registry.ts';

const operationSeconds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

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
  const timed = async <T>(operation: string, key: string, run: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const { group, resource } = kindOfKey(key);
    total.of(operation, group, resource).add();
    try {
      return await run();
    } catch (error) {
      errors.of(operation, group, resource).add();
      throw error;
    } finally {
      seconds.of(operation, group, resource).observe((performance.now() - startedMs) / 1000);
    }
  };
  return {
    get: (key, at) => timed('get', key, () => store.get(key, at)),
    list: (range, options) => timed('list', range.from, () => store.list(range, options)),
    write: (changes) => timed(operationOf(changes[0]), changes[0]?.key ?? '', () => store.write(changes)),
    watch: (range, after, signal) => store.watch(range, after, signal),
    changes: (range, after, upTo) => store.changes(range, after, upTo),
    compact: (before) => store.compact(before),
    revision: () => store.revision(),
    backup: (path) => store.backup(path),
    close: () => store.close(),
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
