/**
 * An API server alone, for trying things out and for replaying recorded scenarios:
 * `node packages/apiserver/dev.ts [--port 8001] [--tls] [--any-flag-of-the-server]`. Memory store, on loopback, every
 * API served, one administrator whose token is `admintoken`.
 */
import { generateKeyPairSync } from 'node:crypto';
import { silentLogger, systemClock, type Logger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { bootstrapHooks } from './bootstrap/bootstrap.ts';
import { joinTexts } from './component-config/live-text.ts';
import { networkTransport } from './connect/kubelet-transport.ts';
import { boolean, textOr } from './flags/flag.ts';
import { optionsFromFlags, parseFlags, serverFlags } from './flags/index.ts';
import { createPki } from './pki/pki.ts';
import type { ClusterState } from './seams.ts';
import { createSecurity } from './security.ts';
import { startApiServer } from './server.ts';

const ownFlags = { port: textOr('<port>', 'where it listens', '8001'), tls: boolean('speak HTTPS', false) };
const given = parseFlags(process.argv.slice(2), { ...serverFlags, ...ownFlags });
const flagged = optionsFromFlags(given);
const isTls = ownFlags.tls.read(given.get('tls') ?? []);
const pki = createPki({ clock: systemClock });
const { serving } = pki;
const kubeletClient = pki.client('kube-apiserver-kubelet-client');
const kubeletTransport = networkTransport({
  kubeletCa: pki.clusterCa.certificate,
  clientCertificate: kubeletClient.certificate,
  clientKey: kubeletClient.key,
});
const port = Number(ownFlags.port.read(given.get('port') ?? []));
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const administrator = { name: 'admin', uid: '1', groups: ['system:masters'] };
const log: Logger = {
  ...silentLogger,
  error: (message, fields) => console.error(message, fields),
  warn: (message, fields) => console.error(message, fields),
  child: () => log,
};

const trustedAuthorities = ({ clientCa, requestHeader }: typeof flagged.security) =>
  clientCa || requestHeader ? joinTexts([clientCa ?? '', requestHeader?.clientCa ?? '']) : undefined;

let clusterState: ClusterState | undefined;
const startedMs = performance.now();
const server = await startApiServer({
  store: memoryStore(),
  clock: systemClock,
  log,
  random: Math.random,
  listen: {
    host: '127.0.0.1',
    port,
    tls: isTls ? { ...serving, clientCa: trustedAuthorities(flagged.security) } : undefined,
  },
  ...flagged.server,
  runtimeConfig: { 'api/all': true, ...flagged.server.runtimeConfig },
  security(context) {
    const { state, transport } = context;
    clusterState = state;
    const serviceAccountSigningKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const tokens = new Map([['admintoken', administrator]]);
    const options = {
      ...context,
      clock: systemClock,
      random: Math.random,
      transport: () => transport,
      serviceAccountSigningKey,
      tokens,
      kubeletTransport,
      ...flagged.security,
    };
    return createSecurity(options, state);
  },
  postStart: bootstrapHooks({
    clock: systemClock,
    state: () => clusterState!,
    clientCa: flagged.security.clientCa ?? pki.clusterCa.certificate,
    requestHeader: flagged.security.requestHeader,
    serviceRanges: ['10.96.0.0/16'],
    serviceAddress: '10.96.0.1',
    endpoint: () => ({ address: '127.0.0.1', port }),
  }),
});
console.log(`${server.url} after ${Math.round(performance.now() - startedMs)} ms`);
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
setInterval(() => {}, 1 << 30);
