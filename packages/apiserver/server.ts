import type { Transport, User } from '@kubernode/api';
import type { Component } from '@kubernode/machinery';
import { clusterState } from './cluster-state.ts';
import type { ServerContext } from './context.ts';
import { documents } from './documents.ts';
import { Health } from './health.ts';
import { serve, type Listener } from './http/serve.ts';
import { Metrics } from './metrics.ts';
import type { ApiServerOptions, Security } from './options.ts';
import { ResourceRegistry } from './registry.ts';
import type { ClusterState } from './seams.ts';
import { WatchCache } from './storage/watch-cache.ts';
import { Writer } from './storage/writer.ts';
import { inMemoryTransport } from './transport.ts';

export interface ApiServer extends Component {
  /** In memory, as the named user; `system:admin` is in `system:masters`. */
  transport(user: string | User): Transport;
  readonly state: ClusterState;
  /** Where it listens; undefined where it does not. */
  readonly url?: string | undefined;
}

/** Resolves when requests are answered. The store stays the caller's to close. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, random } = options;
  const log = options.log.child('apiserver');
  const watchCache = new WatchCache({ store, clock, log });
  await watchCache.start();
  const state = clusterState(watchCache);
  const security = options.security?.(state) ?? openToAll;
  const stopping = new AbortController();
  let listener: Listener | undefined;
  const server: ServerContext = {
    clock,
    log,
    random,
    store,
    watchCache,
    writer: new Writer(store, watchCache),
    registry: new ResourceRegistry(watchCache, options.runtimeConfig ?? {}),
    security,
    virtualResources: new Map(
      (security.virtualResources ?? []).map((virtual) => [
        `${virtual.group}/${virtual.version}/${virtual.resource}/${virtual.subresource}`,
        virtual,
      ]),
    ),
    connectors: new Map(
      [...(options.connectors ?? []), ...(security.connectors ?? [])].map((connector) => [
        `${connector.resource}/${connector.subresource}`,
        connector,
      ]),
    ),
    writeHooks: new Map((options.writeHooks ?? []).map((hook) => [`${hook.group}/${hook.resource}`, hook])),
    health: new Health(),
    metrics: new Metrics(),
    documents,
    address: () => listener?.url.replace(/^https?:\/\//, '') ?? '127.0.0.1:6443',
    stopping: stopping.signal,
  };
  if (options.listen) listener = await serve(server, options.listen);
  return {
    name: 'apiserver',
    state,
    url: listener?.url,
    transport: (user) => inMemoryTransport(server, userOf(user)),
    async stop() {
      stopping.abort();
      await Promise.all([listener?.close(), watchCache.stop()]);
    },
  };
}

/** Everyone is an administrator: for tests, and never where something listens to others. */
const openToAll: Security = {
  authenticate: () => userOf('system:admin'),
  authorize: () => ({ allowed: true }),
  admission: [],
};

/** The groups that authentication would have found. */
function userOf(user: string | User): User {
  if (typeof user !== 'string') return user;
  const groups = ['system:authenticated'];
  if (user === 'system:admin' || user === 'system:apiserver') groups.unshift('system:masters');
  if (user.startsWith('system:node:')) groups.unshift('system:nodes');
  const [, , , namespace] = user.startsWith('system:serviceaccount:') ? ['', '', '', user.split(':')[2]] : [];
  if (namespace) groups.unshift('system:serviceaccounts', `system:serviceaccounts:${namespace}`);
  return { name: user, groups };
}
