/**
 * An API server in a process of its own, to be attacked: TLS on loopback, a store in memory. Who forked it is told its
 * address, and what it holds whenever it asks. A rejection that nobody handles ends the process, and so fails the test.
 */
import { createPki, networkTransport, startApiServer, withSecurity } from '@kubernode/apiserver';
import { systemClock, type Logger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import type { Holdings, VictimOptions } from './victim-options.ts';

const { requestLimits } = JSON.parse(process.argv[2] ?? '{}') as VictimOptions;
const common = { clock: systemClock, log: errorsOnly(), random: Math.random };
const pki = createPki(common);
const kubeletClient = pki.client('kube-apiserver-kubelet-client');
const users = ['admin', 'alice', 'bob'].map((name) => ({
  name,
  groups: [name === 'admin' ? 'system:masters' : 'tenants'],
}));
const server = await startApiServer({
  ...common,
  store: memoryStore(),
  listen: { host: '127.0.0.1', port: 0, tls: pki.serving },
  requestLimits,
  ...withSecurity({
    ...common,
    serviceAccountSigningKey: pki.serviceAccountKey,
    tokens: new Map(users.map((user) => [user.name, user])),
    kubeletTransport: networkTransport({
      clientCertificate: kubeletClient.certificate,
      clientKey: kubeletClient.key,
    }),
    serviceRanges: ['10.96.0.0/16'],
    serviceAddress: '10.96.0.1',
    endpoint: () => ({ address: '192.0.2.1', port: 6443 }),
  }),
});

process.on('message', ({ id, ask }: { readonly id: number; readonly ask: 'holdings' | 'stop' }) => {
  if (ask === 'holdings') process.send!({ id, holdings: holdings() });
  else void server.stop().then(() => process.send!({ id }, () => process.disconnect!()));
});
process.send!({ url: server.url });

function holdings(): Holdings {
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  return { sockets, rssBytes: process.memoryUsage.rss(), peakRssBytes: process.resourceUsage().maxRSS * 1024 };
}

/** Whatever a client does, it is no error of the server's: the tests look for these. */
function errorsOnly(): Logger {
  const log: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields) => console.error('ERROR', message, fields),
    child: () => log,
  };
  return log;
}
