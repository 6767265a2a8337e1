import { isReason, type Transport } from '@kubernode/api';
import type { APIService } from '@kubernode/api/apiregistration/v1';
import { deepEqual, formatTime, type Clock, type Logger } from '@kubernode/machinery';
import type { Metrics } from '../metrics/metrics.ts';
import type { Credentials } from '../outbound/destination.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { ClusterState } from '../seams.ts';
import {
  apiServiceName,
  availableCondition,
  isAvailable,
  local,
  writeConditions,
  isRemote,
  type RemoteAPIService,
} from './api-service.ts';
import { Extension, type RemoteVersion } from './extension.ts';
import { extensionClient } from './extension-client.ts';
import { aggregationMetrics } from './metrics.ts';

export type { RemoteVersion } from './extension.ts';

export interface AggregationOptions {
  readonly state: ClusterState;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** As the API server itself: conditions are written by it. */
  readonly transport: Transport;
  /** PEM of `--proxy-client-cert-file` and its key: what extension servers trust our X-Remote headers by. */
  readonly proxyClient?: Credentials | undefined;
  /** Redirects of extension servers go on to the client. */
  readonly forwardsRedirects?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Extension servers, as the APIServices of the cluster name them. */
export interface Aggregation {
  /** Grows when `remotes` or their discovery change. */
  readonly generation: number;
  readonly remotes: readonly RemoteVersion[];
  readonly forwardsRedirects: boolean;
  /** The extension server of a group version; undefined where there is none. */
  find(group: string, version: string): RemoteVersion | undefined;
  /** The greatest `groupPriorityMinimum` of a group's APIServices. */
  groupPriority(group: string): number;
  versionPriority(group: string, version: string): number;
}

/**
 * Follows the APIServices, and the Services and slices that they lead to. Where there are no extension servers it costs
 * nothing but the look at changed APIServices.
 */
export function createAggregation(options: AggregationOptions): Aggregation {
  const { state, outbound, clock, signal, proxyClient = {} } = options;
  const client = extensionClient(outbound, clock, signal);
  const metrics = aggregationMetrics(options.metrics.registry);
  const queue = options.metrics.workqueues.of('RemoteAvailabilityController');
  const extensions = new Map<string, Extension>();
  let generation = 0;
  let remotes: readonly RemoteVersion[] = [];

  const changed = () => {
    generation += 1;
    remotes = [...extensions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  const start = (object: RemoteAPIService) => {
    const { service, caBundle, insecureSkipTLSVerify } = object.spec;
    const ca = caBundle ? Buffer.from(caBundle as unknown as string, 'base64').toString('utf8') : undefined;
    const trust = { ca, insecureSkipTlsVerify: insecureSkipTLSVerify ?? false };
    const destination = outbound.service(service, { trust, credentials: proxyClient });
    const extension = new Extension(object, { ...options, client, destination, changed, metrics, queue });
    extensions.set(object.metadata.name, extension);
    changed();
    extension.start();
  };
  const end = (name: string) => {
    const known = extensions.get(name);
    if (!known) return;
    known.stop();
    extensions.delete(name);
    changed();
  };
  /** It led outside before, and does not any more. */
  const sayLocal = async (object: APIService) => {
    const lastTransitionTime = formatTime(clock.now());
    try {
      await writeConditions(options.transport, object, [{ type: 'Available', ...local, lastTransitionTime }]);
    } catch (error) {
      // A later version of it will be seen, too.
      if (!isReason(error, 'Conflict') && !isReason(error, 'NotFound') && !signal.aborted) {
        options.log.warn('an APIService could not be called available', { error: String(error) });
      }
    }
  };
  const follow = (object: APIService, deleted: boolean) => {
    priorities = undefined;
    const { name } = object.metadata;
    const known = extensions.get(name);
    if (deleted) end(name);
    else if (!isRemote(object)) {
      end(name);
      if (availableCondition(object)?.reason !== local.reason) void sayLocal(object);
    } else if (known && deepEqual(known.object.spec, object.spec)) {
      if (known.observe(object, isAvailable(object))) changed();
    } else {
      end(name);
      start(object);
    }
  };
  /** Of a Service or a slice that changed: whoever leads to it is looked at again. */
  const recheck = (namespace: string | undefined, service: string | undefined) => {
    for (const extension of extensions.values()) {
      const { spec } = extension.object;
      if (spec.service.namespace === namespace && spec.service.name === service) extension.checkSoon();
    }
  };

  /** Discovery sorts all groups by it. */
  let priorities: Map<string, number> | undefined;
  const priorityOf = (name: string): number => {
    priorities ??= groupPriorities(list(state));
    return priorities.get(name) ?? 0;
  };

  const stops = [
    state.onChange('apiregistration.k8s.io', 'apiservices', (object, deleted) => follow(object as APIService, deleted)),
    state.onName('', 'services', (name, namespace) => recheck(namespace, name)),
    state.onChange('discovery.k8s.io', 'endpointslices', ({ metadata }) =>
      recheck(metadata.namespace, metadata.labels?.['kubernetes.io/service-name']),
    ),
  ];
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
      for (const extension of extensions.values()) extension.stop();
    },
    { once: true },
  );
  for (const object of list(state)) follow(object, false);
  return {
    get generation() {
      return generation;
    },
    get remotes() {
      return remotes;
    },
    forwardsRedirects: options.forwardsRedirects ?? false,
    find: (group, version) => extensions.get(apiServiceName(group, version)),
    // The group of the APIServices themselves has none, and comes first.
    groupPriority: (group) => (group === 'apiregistration.k8s.io' ? Infinity : priorityOf(group)),
    versionPriority: (group, version) =>
      (state.get('apiregistration.k8s.io', 'apiservices', apiServiceName(group, version)) as APIService | undefined)
        ?.spec?.versionPriority ?? 0,
  };
}

function groupPriorities(services: readonly APIService[]): Map<string, number> {
  const priorities = new Map<string, number>();
  for (const { spec } of services) {
    const group = spec?.group ?? '';
    priorities.set(group, Math.max(priorities.get(group) ?? 0, spec?.groupPriorityMinimum ?? 0));
  }
  return priorities;
}

const list = (state: ClusterState) =>
  state.list('apiregistration.k8s.io', 'apiservices') as unknown as readonly APIService[];
