import type { Transport } from '@kubernode/api';
import { silentLogger, type Clock, type Logger } from '@kubernode/machinery';
import type { PostStartContext, PostStartHook } from '../options.ts';
import type { ClusterState } from '../seams.ts';
import { byCount, byLeases, type EndpointReconciler, type EndpointReconcilerType } from './endpoint-reconciler.ts';
import { keep } from './keep.ts';
import { kubernetesService, type KubernetesServiceOptions } from './kubernetes-service.ts';
import { masterLeases } from './master-leases.ts';
import { listedAddresses, putEndpoints } from './service-endpoints.ts';

export interface EndpointOptions {
  /** Default `lease`. */
  readonly endpointReconciler?: EndpointReconcilerType | undefined;
  /** `--apiserver-count`, of the reconciler `master-count`. Default 1. */
  readonly apiServerCount?: number | undefined;
}

interface ServiceHookOptions extends KubernetesServiceOptions, EndpointOptions {
  readonly clock: Clock;
  readonly log?: Logger | undefined;
  readonly state: () => ClusterState;
}

/** As often a server says that it lives, and looks whether the others do. */
const renewalMs = 10_000;

/**
 * Keeps the Service `kubernetes` and who is behind it: all servers of the store. One that ends takes itself out; one that
 * dies is dropped by the others within 25 s. `before` makes what the Service needs.
 */
export function serviceHook(options: ServiceHookOptions, before: (transport: Transport) => Promise<void>) {
  const { clock, log = silentLogger } = options;
  return {
    name: 'bootstrap-controller',
    async run(context) {
      const { transport, signal, beforeStop } = context;
      const state = options.state();
      const reconciler = reconcilerOf(options, context);
      let isStart = true;
      const lead = async (way: 'join' | 'leave') => {
        const addresses = await reconciler?.[way](listedAddresses(state));
        const port = options.endpoint()?.port ?? 0;
        // A server that holds a lease is one at least: none is an error of the store, and not to be believed.
        if (!addresses || (way === 'join' && addresses.length === 0)) return;
        await putEndpoints(state, transport, { addresses, port, resetsPorts: isStart });
      };
      const ending = new AbortController();
      let work: Promise<void> = Promise.resolve();
      const ensure = async () => {
        await before(transport);
        await kubernetesService(state, transport, { ...options, resetsPorts: isStart });
        if (!ending.signal.aborted) await lead('join');
        isStart = false;
      };
      await ensure();
      keep(
        { state, clock, log, signal: AbortSignal.any([signal, ending.signal]), everyMs: renewalMs },
        [
          { group: '', resource: 'services', names, namespace: 'default' },
          { group: '', resource: 'endpoints', names, namespace: 'default' },
          { group: 'discovery.k8s.io', resource: 'endpointslices', names, namespace: 'default' },
        ],
        () => (work = ensure()),
      );
      beforeStop(async () => {
        ending.abort();
        await work.catch(() => {});
        await lead('leave');
      });
    },
  } satisfies PostStartHook;
}

const names: ReadonlySet<string> = new Set(['kubernetes']);

/** undefined where nobody keeps the endpoints: none are wanted, or the server is reached on loopback only. */
function reconcilerOf(
  { endpoint, endpointReconciler = 'lease', apiServerCount = 1, clock }: ServiceHookOptions,
  { store }: PostStartContext,
): EndpointReconciler | undefined {
  const { address } = endpoint() ?? {};
  if (address === undefined || isLoopback(address) || endpointReconciler === 'none') return undefined;
  if (endpointReconciler === 'master-count') return byCount(address, apiServerCount);
  return byLeases(address, masterLeases(store, clock));
}

/** Endpoints must not be there: a pod's loopback is its own. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
