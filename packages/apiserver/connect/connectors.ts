import type { Random } from '@kubernode/machinery';
import type { ClusterState, Connector } from '../seams.ts';
import type { KubeletTransport } from './kubelet-transport.ts';
import { logConnector } from './log.ts';
import { proxyConnectors } from './proxy.ts';
import { streamConnectors } from './streams.ts';

/** All subresources that are carried on to kubelets, pods and services. */
export function createConnectors(state: ClusterState, transport: KubeletTransport, random: Random): Connector[] {
  return [
    logConnector(state, transport),
    ...streamConnectors(state, transport),
    ...proxyConnectors(state, transport, random),
  ];
}
