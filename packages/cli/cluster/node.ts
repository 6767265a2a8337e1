import { createClient, createInformerFactory } from '@kubernode/client';
import type { Transport } from '@kubernode/api';
import type { PodNetwork } from '@kubernode/api/cri';
import { startKubelet, grpcCri } from '@kubernode/kubelet';
import { systemClock } from '@kubernode/machinery';
import {
  openBridgeNetwork,
  openCniNetwork,
  readCniConfigs,
  startDns,
  startServiceProxy,
  type BridgeNetwork,
} from '@kubernode/network';
import { openRuntime } from '@kubernode/runtime';
import { UserError } from '../terminal/user-error.ts';
import { firstAddress, machineAddress, nodePodRange } from './addresses.ts';
import { clusterDnsAddress, dnsUser } from './cluster-dns.ts';
import { serveControl } from './control-socket.ts';
import type { ClusterSettings, DataDir } from './data-dir.ts';
import type { Foreground } from './foreground.ts';
import { imageActions } from './image-actions.ts';
import { hasNodeTraces, removeNode } from './node-traces.ts';
import type { AgentFlags } from './server-flags.ts';

export interface NodeOptions extends Foreground {
  readonly flags: AgentFlags;
  readonly settings: ClusterSettings;
  /** The API server, as a user. */
  readonly transportFor: (user: string) => Transport;
  /** PEM: the kubelet's serving certificate, and who may sign its clients. */
  readonly tls: { readonly certificate: string; readonly key: string; readonly clientCa: string };
}

/** The address under which the API server and other nodes reach this one. */
export function nodeAddress(flags: AgentFlags, settings: ClusterSettings): string {
  return flags.nodeIp ?? machineAddress() ?? firstAddress(nodePodRange(settings.clusterCidr));
}

/**
 * Starts everything that makes this machine a node: network, runtime, service proxy, DNS, and the kubelet as the last,
 * so that no pod is begun on a node that does not come up.
 */
export async function startNode(options: NodeOptions): Promise<void> {
  const { flags, settings, dataDir, parts, log } = options;
  if (!hasNodeTraces(dataDir)) parts.afterFailure('what the node made', () => removeNode(dataDir));
  const bridge = await parts.step('Setting up the pod network', () =>
    openBridgeNetwork({
      bridge: dataDir.bridge,
      table: dataDir.bridgeTable,
      podRange: nodePodRange(settings.clusterCidr),
      clusterRange: settings.clusterCidr,
      serviceRange: settings.serviceRange,
      stateFolder: dataDir.networkState,
      log: log.child('network'),
    }),
  );
  const cri = await openCri(options, podNetwork(flags, dataDir, bridge));
  await startServices(options, bridge.gateway);
  const port = flags.kubeletPort ?? settings.securePort + 3807;
  await parts.start(
    'Starting the kubelet',
    () =>
      startKubelet({
        ...common,
        client: createClient(options.transportFor(`system:node:${settings.nodeName}`)),
        cri,
        nodeName: settings.nodeName,
        rootDir: dataDir.kubeletRoot,
        podLogsDir: dataDir.podLogs,
        cgroupRoot: dataDir.cgroupRoot,
        log: log.child('kubelet'),
        listen: { host: '0.0.0.0', port, tls: options.tls },
        nodeAddresses: [nodeAddress(flags, settings)],
        clusterDns: [clusterDnsAddress(settings.serviceRange)],
        clusterDomain: flags.clusterDomain,
        maxPods: flags.maxPods,
      }),
    { portFlag: '--kubelet-port' },
  );
}

const common = { clock: systemClock, random: Math.random };

/** Service proxy and DNS: what pods reach Services and names by. */
async function startServices(options: NodeOptions, gateway: string): Promise<void> {
  const { flags, settings, dataDir, transportFor, parts, log } = options;
  const informersFor = (user: string) => {
    const client = createClient(transportFor(user));
    const informers = createInformerFactory({ ...common, client, log: log.child('network') });
    parts.atEnd('network informers', () => informers.stop());
    return informers;
  };
  await parts.start('Starting the service proxy', () =>
    startServiceProxy({
      ...common,
      informers: informersFor('system:kube-proxy'),
      nodeName: settings.nodeName,
      table: dataDir.serviceTable,
      serviceRange: settings.serviceRange,
      log: log.child('proxy'),
    }),
  );
  await parts.start('Starting the cluster DNS', () =>
    startDns({
      informers: informersFor(dnsUser),
      clusterDomain: flags.clusterDomain,
      address: gateway,
      port: 53,
      upstreams: flags.dnsUpstream.map(parseUpstream),
      log: log.child('dns'),
    }),
  );
}

/** The container runtime: the one whose socket is given, else our own in this process. */
async function openCri({ flags, dataDir, parts, log }: NodeOptions, network: PodNetwork) {
  const endpoint = flags.containerRuntimeEndpoint;
  if (endpoint) {
    const path = endpoint.replace(/^unix:\/\//, '');
    return parts.step(`Connecting to the container runtime at ${path}`, () => grpcCri(path));
  }
  const runtime = await parts.start('Starting the container runtime', () =>
    openRuntime({
      root: dataDir.runtimeRoot,
      cgroupRoot: dataDir.cgroupRoot,
      podNetwork: network,
      clock: systemClock,
      log: log.child('runtime'),
    }),
  );
  await parts.start('Opening the control socket', () => serveControl(dataDir, imageActions(runtime.images), log));
  return runtime;
}

/** Our own bridge, or the first configuration of the given CNI folder. */
function podNetwork(flags: AgentFlags, dataDir: DataDir, bridge: BridgeNetwork): PodNetwork {
  if (!flags.cniConfDir) return bridge;
  const [config] = readCniConfigs(flags.cniConfDir);
  if (!config) {
    throw new UserError(
      `There is no CNI configuration in ${flags.cniConfDir}.`,
      'Put one there, or leave --cni-conf-dir out.',
    );
  }
  return openCniNetwork({ config, binaryFolders: [flags.cniBinDir], stateFolder: `${dataDir.networkState}/cni` });
}

/** `10.0.0.2` or `10.0.0.2:5353`. */
function parseUpstream(text: string): { address: string; port: number } {
  const [, address = text, port = '53'] = /^([\d.]+)(?::(\d+))?$/.exec(text) ?? [];
  return { address, port: Number(port) };
}
