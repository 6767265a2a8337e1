import { applyCondition } from './apply-condition.ts';
import { asServer } from './facts.ts';
import { isReason, type Transport } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { ServiceCIDR } from '@kubernode/api/networking/v1';
import { deepEqual, formatTime, type Clock } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';

export interface KubernetesServiceOptions {
  readonly clock: Clock;
  /** `--service-cluster-ip-range`, primary first. */
  readonly serviceRanges: readonly string[];
  /** The first address of the primary range. */
  readonly serviceAddress: string;
  /** Where the API server is reached: what the Service leads to. Asked for after listening has begun. */
  readonly endpoint: () => { readonly address: string; readonly port: number } | undefined;
}

const labels = { component: 'apiserver', provider: 'kubernetes' };

/**
 * The Service `kubernetes` in `default`, by which pods reach the API server, with its endpoints. They follow the server's
 * address; there are none while it is reached on loopback only.
 */
export async function kubernetesService(
  state: ClusterState,
  transport: Transport,
  options: KubernetesServiceOptions,
): Promise<void> {
  const { serviceAddress } = options;
  const endpoint = options.endpoint();
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: endpoint?.port ?? 6443 }];
  await put(state, transport, '', 'services', '/api/v1/namespaces/default/services', {
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: serviceAddress,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports,
    },
  });
  await restorePorts(state, transport, ports);
  if (endpoint && !isLoopback(endpoint.address)) await putEndpoints(state, transport, endpoint);
}

/** What the Service leads to is the server's to say, also when its port is another than before. */
async function restorePorts(state: ClusterState, transport: Transport, ports: readonly object[]): Promise<void> {
  const { spec } = (state.get('', 'services', 'kubernetes', 'default') ?? {}) as Partial<Service>;
  const isSame =
    spec?.type === 'ClusterIP' &&
    deepEqual(
      spec.ports?.map(({ name, protocol, port, targetPort }) => ({ name, protocol, port, targetPort })),
      ports,
    );
  if (!spec || isSame) return;
  await transport.request({
    method: 'PATCH',
    query: asServer,
    path: '/api/v1/namespaces/default/services/kubernetes',
    contentType: 'application/merge-patch+json',
    body: { spec: { type: 'ClusterIP', ports } },
  });
}

/** The ServiceCIDR of the server's own ranges. */
export async function defaultServiceCidr(
  state: ClusterState,
  transport: Transport,
  { serviceRanges, clock }: KubernetesServiceOptions,
): Promise<void> {
  await put(state, transport, 'networking.k8s.io', 'servicecidrs', '/apis/networking.k8s.io/v1/servicecidrs', {
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [...serviceRanges] },
  });
  await serviceCidrReady(state, transport, clock);
}

async function serviceCidrReady(state: ClusterState, transport: Transport, clock: Clock): Promise<void> {
  const known = state.get('networking.k8s.io', 'servicecidrs', 'kubernetes') as ServiceCIDR | undefined;
  if (known?.status?.conditions?.length) return;
  const message = 'Kubernetes default Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', message, lastTransitionTime: formatTime(clock.now()) };
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' } };
  const path = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
  await applyCondition(transport, path, object, ready, 'kubernetes-service-cidr-controller');
}

async function putEndpoints(
  state: ClusterState,
  transport: Transport,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<void> {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  await Promise.all([
    put(state, transport, '', 'endpoints', '/api/v1/namespaces/default/endpoints', {
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
      },
      subsets: [{ addresses: [{ ip: address }], ports }],
    }),
    put(
      state,
      transport,
      'discovery.k8s.io',
      'endpointslices',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      {
        metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: address.includes(':') ? 'IPv6' : 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports,
      },
    ),
  ]);
}

/** Endpoints must not be there: a pod's loopback is its own. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

interface Wanted {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly spec?: object;
  readonly subsets?: object;
  readonly endpoints?: object;
  readonly ports?: object;
  readonly addressType?: string;
}

/** Creates; what is there already is only led to the new endpoints. */
async function put(
  state: ClusterState,
  transport: Transport,
  group: string,
  resource: string,
  path: string,
  wanted: Wanted,
): Promise<void> {
  const { name, namespace } = wanted.metadata;
  const known = state.get(group, resource, name, namespace) as unknown as Wanted | undefined;
  if (!known) {
    try {
      await transport.request({ method: 'POST', query: asServer, path, body: wanted });
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error;
    }
    return;
  }
  const { spec: _s, metadata: _m, addressType: _a, ...followed } = wanted;
  const isSame = Object.entries(followed).every(([key, value]) => deepEqual(known[key as keyof Wanted], value));
  if (isSame) return;
  const contentType = 'application/merge-patch+json';
  await transport.request({ method: 'PATCH', query: asServer, path: `${path}/${name}`, contentType, body: followed });
}
