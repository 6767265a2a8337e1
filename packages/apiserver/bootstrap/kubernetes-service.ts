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

/** The Service `kubernetes` in `default`, by which pods reach the API server. */
export async function kubernetesService(
  state: ClusterState,
  transport: Transport,
  options: KubernetesServiceOptions & { readonly resetsPorts: boolean },
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
  if (options.resetsPorts) await restorePorts(state, transport, ports);
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

interface Wanted {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly spec: object;
}

/** Creates what is not there. */
async function put(
  state: ClusterState,
  transport: Transport,
  group: string,
  resource: string,
  path: string,
  wanted: Wanted,
): Promise<void> {
  const { name, namespace } = wanted.metadata;
  if (state.get(group, resource, name, namespace)) return;
  try {
    await transport.request({ method: 'POST', query: asServer, path, body: wanted });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
}
