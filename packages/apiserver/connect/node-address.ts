import { StatusError } from '@kubernode/api';
import type { Node } from '@kubernode/api/core/v1';
import type { ClusterState } from '../seams.ts';
import type { Backend } from './kubelet-transport.ts';

/** `--kubelet-preferred-address-types`, in the order that every installer sets: node names need not resolve. */
const preferredAddressTypes = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];

const kubeletPortDefault = 10250;

/**
 * The kubelet of a node. Throws StatusError where there is no such node, or no address of it; what is not found is named
 * by the `resource` that was asked for, as upstream does.
 */
export function kubeletOf(state: ClusterState, nodeName: string, resource = 'nodes'): Backend {
  const node = state.get('', 'nodes', nodeName) as Node | undefined;
  if (!node) throw StatusError.notFound({ group: '', plural: resource }, nodeName);
  const addresses = node.status?.addresses ?? [];
  const found = preferredAddressTypes
    .map((type) => addresses.find((address) => address.type === type && address.address !== ''))
    .find((address) => address !== undefined);
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    throw failure(`no preferred addresses found; known addresses: [${known}]`);
  }
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port || kubeletPortDefault;
  return { scheme: 'https', host: found.address, port, isKubelet: true };
}

/** A failure on the way, 500 without a reason: how upstream shows errors that are not its own. */
export function failure(message: string, code = 500): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
}
