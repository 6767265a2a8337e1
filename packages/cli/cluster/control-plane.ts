import { isIPv4 } from 'node:net';
import {
  createPki,
  fileText,
  joinTexts,
  kubeconfig,
  networkTransport,
  optionsFromFlags,
  startApiServer,
  withSecurity,
  type ApiServer,
  type Pki,
  type RequestHeaderOptions,
  type Text,
} from '@kubernode/apiserver';
import { systemClock, type Logger } from '@kubernode/machinery';
import { memoryStore, openSqliteStore, type Store } from '@kubernode/store';
import { endSpareThread } from '@kubernode/store/sqlite-thread';
import { UserError } from '../terminal/user-error.ts';
import { firstAddress, freeRanges, machineAddress, nodePodRange } from './addresses.ts';
import { replaceFile, type ClusterSettings, type DataDir } from './data-dir.ts';
import type { Foreground } from './foreground.ts';
import { whileMemoryFills } from './filling-heap.ts';
import { givenFlags } from './given-flags.ts';
import type { AgentFlags, ServerFlags } from './server-flags.ts';
import { releaseIdleMemory } from './idle-memory.ts';
import { releaseNativeMemory } from './native-memory.ts';
import { nodeName } from './node-name.ts';
import type { Parts } from './parts.ts';

export interface ControlPlane {
  readonly server: ApiServer;
  readonly pki: Pki;
  readonly settings: ClusterSettings;
}

/** Starts store and API server: what `kubernode apiserver` is. */
export async function startApi(
  flags: ServerFlags & AgentFlags,
  { dataDir, parts, log }: Foreground,
): Promise<ControlPlane> {
  // Its thread comes up while this one reads.
  const opening = openStore(flags, dataDir, parts);
  const options = await parts.step('Reading the flags', () => optionsFromFlags(givenFlags(flags)));
  const settings = await parts.step('Reading the settings', () => settle(flags, dataDir));
  parts.atEnd('memory', releaseIdleMemory(systemClock));
  parts.atEnd('native memory', releaseNativeMemory(systemClock));
  const advertiseAddress =
    flags.advertiseAddress ?? machineAddress() ?? firstAddress(nodePodRange(settings.clusterCidr));
  const { pki, serverOptions } = await parts.step('Reading the certificates', () => {
    const pki = openPki(settings, dataDir, advertiseAddress);
    return { pki, serverOptions: serverOptionsOf({ flags, options, settings, pki, advertiseAddress, log }) };
  });
  const store = await parts.step('Opening the database', () => opening);
  const server = await parts.start(
    'Starting the API server',
    () => whileMemoryFills(() => startApiServer({ ...serverOptions, store })),
    { portFlag: '--secure-port' },
  );
  await parts.step('Writing the kubeconfig', () => {
    dataDir.saveSettings(settings);
    writeKubeconfig(flags, settings, dataDir, pki);
  });
  return { server, pki, settings };
}

/** Is closed at the end, also where the start fails meanwhile; who waits for it learns why it cannot be opened. */
function openStore({ storage }: ServerFlags, { database }: DataDir, parts: Parts): Promise<Store> {
  if (storage === 'memory') {
    endSpareThread();
    return Promise.resolve(memoryStore());
  }
  const opening = openSqliteStore({ path: database });
  const close = opening.then((store) => () => store.close()).catch(() => () => {});
  parts.atEnd('store', async () => (await close)());
  return opening;
}

/** What the first start decided is kept; a flag that says otherwise later is refused, as objects depend on it. */
async function settle(flags: ServerFlags & AgentFlags, dataDir: DataDir): Promise<ClusterSettings> {
  const kept = dataDir.settings();
  const ranges = kept ?? (await freeRanges());
  const settings: ClusterSettings = {
    formatVersion: 1,
    clusterCidr: flags.clusterCidr ?? ranges.clusterCidr,
    serviceRange: flags.serviceClusterIpRange ?? ranges.serviceRange,
    securePort: flags.securePort ?? kept?.securePort ?? 6443,
    nodeName: flags.nodeName ?? kept?.nodeName ?? nodeName(),
  };
  for (const [key, flag] of [
    ['clusterCidr', 'cluster-cidr'],
    ['serviceRange', 'service-cluster-ip-range'],
  ] as const) {
    if (kept && kept[key] !== settings[key]) {
      throw new UserError(
        `--${flag} is ${settings[key]}, but this cluster was made with ${kept[key]}.`,
        'Leave the flag out, or start another cluster with --data-dir.',
      );
    }
  }
  for (const flag of ['cluster-cidr', 'service-cluster-ip-range'] as const) {
    const range = flag === 'cluster-cidr' ? settings.clusterCidr : settings.serviceRange;
    if (!isIpv4Range(range)) throw new UserError(`--${flag} ${JSON.stringify(range)} is not a range: ${rangeHint}`);
  }
  // Ranges are kept before the first object depends on them; a new port only once the server has it.
  if (!kept) dataDir.saveSettings(settings);
  return settings;
}

const rangeHint = 'expected IPv4 addresses such as 10.96.0.0/16.';
/** Smaller than this, a range has no tenth address for cluster DNS. */
const prefixMax = 28;

function isIpv4Range(text: string): boolean {
  const [, address = '', prefix = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  return isIPv4(address) && Number(prefix) >= 8 && Number(prefix) <= prefixMax;
}

function openPki(settings: ClusterSettings, dataDir: DataDir, advertiseAddress: string): Pki {
  return createPki({
    folder: dataDir.pki,
    clock: systemClock,
    hosts: [advertiseAddress, firstAddress(nodePodRange(settings.clusterCidr)), settings.nodeName],
    serviceAddresses: [firstAddress(settings.serviceRange)],
  });
}

interface ServerParts {
  readonly flags: ServerFlags;
  readonly options: ReturnType<typeof optionsFromFlags>;
  readonly settings: ClusterSettings;
  readonly pki: Pki;
  readonly advertiseAddress: string;
  readonly log: Logger;
}

/** All but the store, with the certificates read, or made where they are missing. */
function serverOptionsOf({ flags, options, settings, pki, advertiseAddress, log }: ServerParts) {
  const serving = flags.tlsCertFile
    ? { certificate: followed(flags.tlsCertFile), key: followed(flags.tlsPrivateKeyFile ?? '') }
    : pki.serving;
  // Beside those that a flag names, the cluster's own authority is always good: its components have no other.
  const clientCa = joinTexts([pki.clusterCa.certificate, options.security.clientCa ?? '']);
  const requestHeader = options.security.requestHeader ?? ownFrontProxy(pki);
  const kubeletClient = pki.client('kube-apiserver-kubelet-client');
  const common = { clock: systemClock, random: Math.random, log };
  return {
    ...common,
    ...options.server,
    // Extension API servers trust it by the ConfigMap extension-apiserver-authentication.
    proxyClient: options.server.proxyClient ?? pki.client('front-proxy-client'),
    listen: {
      host: flags.bindAddress,
      port: settings.securePort,
      tls: { ...serving, clientCa: joinTexts([clientCa, requestHeader.clientCa]) },
    },
    serviceClusterIpRanges: [settings.serviceRange],
    ...withSecurity({
      ...common,
      serviceAccountSigningKey: pki.serviceAccountKey,
      kubeletTransport: networkTransport({
        kubeletCa: pki.clusterCa.certificate,
        clientCertificate: kubeletClient.certificate,
        clientKey: kubeletClient.key,
      }),
      ...options.security,
      requestHeader,
      clientCa,
      serviceRanges: [settings.serviceRange],
      serviceAddress: firstAddress(settings.serviceRange),
      endpoint: () => ({ address: advertiseAddress, port: settings.securePort }),
    }),
  };
}

/** The front proxy that the cluster's own authority vouches for, named as kubeadm does. */
const ownFrontProxy = (pki: Pki): RequestHeaderOptions => ({
  clientCa: pki.frontProxyCa.certificate,
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
});

/** Renewed certificates are taken over while the server runs. */
function followed(file: string): Text {
  try {
    return fileText(file);
  } catch (error) {
    throw new UserError(`Cannot read ${JSON.stringify(file)}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
}

function writeKubeconfig(flags: ServerFlags, settings: ClusterSettings, dataDir: DataDir, pki: Pki): void {
  const host = ['0.0.0.0', '::'].includes(flags.bindAddress) ? '127.0.0.1' : flags.bindAddress;
  const text = kubeconfig({
    server: `https://${host}:${settings.securePort}`,
    certificateAuthority: pki.clusterCa.certificate,
    user: pki.client('admin'),
  });
  replaceFile(dataDir.kubeconfig, text, 0o600);
}
