import { isReason, type Transport } from '@kubernode/api';
import type { Endpoints } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import { deepEqual } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { asServer } from './facts.ts';

const endpointsPath = '/api/v1/namespaces/default/endpoints';
const slicesPath = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const metadata = { name: 'kubernetes', namespace: 'default' };

/** The addresses that the `kubernetes` Service leads to now. */
export function listedAddresses(state: ClusterState): readonly string[] {
  return known(state).endpoints?.subsets?.[0]?.addresses?.map(({ ip }) => ip) ?? [];
}

/**
 * Leads the `kubernetes` Service to `addresses`, by its Endpoints and its EndpointSlice; to none where there are none.
 * Ports are what they are, but where `resetsPorts`: servers with ports of their own must not fight for ever.
 */
export async function putEndpoints(
  state: ClusterState,
  transport: Transport,
  { addresses, port, resetsPorts }: { addresses: readonly string[]; port: number; resetsPorts: boolean },
): Promise<void> {
  const { endpoints, slice } = known(state);
  const written = resetsPorts ? undefined : endpoints?.subsets?.[0]?.ports;
  const ports = written ?? [{ name: 'https', port, protocol: 'TCP' }];
  const isThere = addresses.length > 0;
  const addressType: string = isThere && addresses.every((address) => address.includes(':')) ? 'IPv6' : 'IPv4';
  const ofFamily = addresses.filter((address) => address.includes(':') === (addressType === 'IPv6'));
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports }];
  const members = ofFamily.map((address) => ({ addresses: [address], conditions: { ready: true } }));
  const skipsMirror = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const putSlice = async () => {
    if (slice && slice.addressType !== addressType) {
      await transport.request({ method: 'DELETE', path: `${slicesPath}/kubernetes` });
    }
    await put(transport, slicesPath, slice?.addressType === addressType ? slice : undefined, {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType,
      endpoints: isThere ? members : null,
      ports: isThere ? ports : null,
    });
  };
  // At once, so that a start waits for one transaction.
  await Promise.all([
    put(transport, endpointsPath, endpoints, {
      metadata: { ...metadata, labels: skipsMirror },
      subsets: isThere ? subsets : null,
    }),
    putSlice(),
  ]);
}

function known(state: ClusterState): { endpoints: Endpoints | undefined; slice: EndpointSlice | undefined } {
  const { name, namespace } = metadata;
  return {
    endpoints: state.get('', 'endpoints', name, namespace) as Endpoints | undefined,
    slice: state.get('discovery.k8s.io', 'endpointslices', name, namespace) as EndpointSlice | undefined,
  };
}

/** Creates, or writes the fields that differ; labels that others added stay. */
async function put(
  transport: Transport,
  path: string,
  current: object | undefined,
  wanted: { readonly metadata: object; readonly [field: string]: unknown },
): Promise<void> {
  if (!current) {
    const body = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));
    // Of a slice endpoints are required, were there none of them.
    if (wanted['addressType'] !== undefined) body['endpoints'] ??= [];
    try {
      await transport.request({ method: 'POST', query: asServer, path, body });
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error;
    }
    return;
  }
  const labelsOf = (object: object) => (object as { metadata: { labels?: object } }).metadata.labels ?? {};
  const labels = { ...labelsOf(current), ...labelsOf(wanted) };
  const { metadata: _, ...fields } = wanted;
  const isSame = Object.entries(fields).every(([key, value]) =>
    deepEqual((current as Record<string, unknown>)[key] ?? null, value),
  );
  if (isSame && deepEqual(labels, labelsOf(current))) return;
  await transport.request({
    method: 'PATCH',
    query: asServer,
    path: `${path}/kubernetes`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels }, ...fields },
  });
}
