import { featureGates, featureGateStages, fieldDropper, StatusError, type Transport, type User } from '@kubernode/api';
import { uid, type Component, type Logger } from '@kubernode/machinery';
import { startCompactor } from '@kubernode/store';
import { createAudit } from './audit/create.ts';
import { createAggregation } from './aggregation/aggregation.ts';
import { storageVersionHook } from './bootstrap/storage-versions.ts';
import { clusterState } from './cluster-state.ts';
import type { ServerContext } from './context.ts';
import { CustomResources } from './customresources/custom-resources.ts';
import { documents } from './documents.ts';
import type { Encryption } from './encryption/encryption.ts';
import { createFlowControl } from './flowcontrol/create.ts';
import { followSchemaStatus } from './flowcontrol/schema-status.ts';
import { Health } from './health.ts';
import { InFlight } from './http/in-flight.ts';
import { Turns } from './http/turns.ts';
import { serve, type Listener } from './http/serve.ts';
import { startLeaderElection } from './leaderelection/controller.ts';
import { buildMetrics } from './metrics/build.ts';
import { Metrics } from './metrics/metrics.ts';
import type { MetricsRegistry } from './metrics/registry.ts';
import { meteredStore, objectMetrics } from './metrics/storage.ts';
import { forgetUnserved } from './metrics/unserved.ts';
import type { ApiServerOptions, PostStartContext, PostStartHook, Security, StoredValue } from './options.ts';
import { addressOf } from './outbound/destination.ts';
import { createOutbound } from './outbound/outbound.ts';
import { ResourceRegistry } from './registry.ts';
import { requestLimitsDefault } from './request-limits.ts';
import type { ClusterState } from './seams.ts';
import { serviceAddresses } from './services/service-addresses.ts';
import { drain, Shutdown } from './shutdown.ts';
import { startExpiry } from './storage/expiry.ts';
import { guardedStore, isBroken, isLost } from './storage/guarded-store.ts';
import { WatchCache } from './storage/watch-cache.ts';
import type { Watcher } from './storage/watcher.ts';
import { Writer } from './storage/writer.ts';
import { inMemoryTransport } from './transport.ts';
import { versionOf } from './version.ts';

export interface ApiServer extends Component {
  /** In memory, as the named user; `system:admin` is in `system:masters`. */
  transport(user: string | User): Transport;
  readonly state: ClusterState;
  /** Where it listens; undefined where it does not. */
  readonly url?: string | undefined;
}

/** Resolves when requests are answered. The store stays the caller's to close. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, random } = options;
  const log = options.log.child('apiserver');
  const metrics = new Metrics(() => clock.now());
  const onReload = () => void watchCache.readAgain();
  const encryption = await encryptionOf(options, { log, metrics: metrics.registry, onReload });
  const guarded = guardedStore(encryption?.store ?? options.store, log);
  const store = meteredStore(guarded, metrics.registry);
  const watchCache = new WatchCache({ store, clock, log });
  await watchCache.start();
  const state = clusterState(watchCache);
  const own = lateTransport();
  const stopping = new AbortController();
  let listener: Listener | undefined;
  const outbound = metrics.restClient.outbound(
    createOutbound({
      state,
      clock,
      log,
      random,
      routeToEndpoints: options.routeToEndpoints,
      loopback: () => addressOf(listener?.url),
    }),
  );
  const version = versionOf(options.release);
  const isEnabled = featureGates(options.featureGates, options.release);
  const security =
    options.security?.({
      state,
      transport: own.transport,
      metrics: metrics.registry,
      outbound,
      isEnabled,
      log,
      signal: stopping.signal,
    }) ?? openToAll;
  const registry = new ResourceRegistry(watchCache, options.runtimeConfig ?? {}, isEnabled);
  const aggregation = createAggregation({
    state,
    outbound,
    clock,
    log,
    metrics,
    transport: own.transport,
    proxyClient: options.proxyClient,
    forwardsRedirects: options.forwardsRedirects,
    signal: stopping.signal,
  });
  const services = serviceAddresses({
    state,
    metrics: metrics.registry,
    transport: own.transport,
    clock,
    random,
    log,
    ranges: options.serviceClusterIpRanges ?? ['10.96.0.0/16'],
    nodePortRange: options.serviceNodePortRange,
  });
  objectMetrics(metrics.registry, () => countsOf(registry));
  forgetUnserved(metrics.registry, {
    generation: () => registry.generation,
    has: (group, plural) =>
      registry.preferred(group, plural) !== undefined || aggregation.remotes.some((remote) => remote.group === group),
  });
  for (const { group, version, plural, verbsOf } of registry.resources()) {
    if (!verbsOf.get('')?.has('watch')) continue;
    metrics.watches.expect(group, version, plural);
    metrics.requests.expectWatches(group, version, plural);
  }
  buildMetrics(metrics.registry, featureGateStages(options.release), isEnabled, version);
  const limits = { ...requestLimitsDefault, ...options.requestLimits };
  const server: ServerContext = {
    clock,
    log,
    random,
    store,
    outbound,
    watchCache,
    writer: new Writer(store, watchCache, clock),
    registry,
    aggregation,
    isStale: (key) => encryption?.store.isStale(key) ?? false,
    // Uids must not be guessed; only a simulation's own randomness repeats them.
    newUid: () => (random === Math.random ? uid() : uid(random)),
    servesCbor: isEnabled('CBORServingAndStorage'),
    isEnabled,
    dropDisabled: fieldDropper(isEnabled),
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
    writeHooks: new Map(
      [services.hook, ...(options.writeHooks ?? [])].map((hook) => [`${hook.group}/${hook.resource}`, hook]),
    ),
    flowControl: createFlowControl(limits, { clock, state, metrics: metrics.registry, registry }),
    audit: createAudit(options.audit, { clock, random, log, metrics: metrics.registry, outbound }),
    limits,
    inFlight: new InFlight(clock, limits.requestTimeoutMs),
    turns: new Turns(clock),
    shutdown: new Shutdown(),
    health: new Health(
      () => watchCache.isFollowing && !isBroken(guarded.problem()),
      () => !isLost(guarded.problem()),
    ),
    metrics,
    startedMs: clock.now(),
    version,
    flags: options.flags ?? new Map(),
    documents,
    address: () => listener?.url.replace(/^https?:\/\//, '') ?? '127.0.0.1:6443',
    stopping: stopping.signal,
  };
  own.connect(metrics.restClient.transport(inMemoryTransport(server, userOf('system:apiserver')), server.address));
  const { signal } = stopping;
  const { newUid } = server;
  new CustomResources({ registry, watchCache, transport: own.transport, clock, log, signal, outbound, newUid });
  server.health.add({ name: 'shutdown', isHealthy: () => !server.shutdown.isInitiated, only: ['readyz'] });
  if (encryption?.hasHealthCheck) {
    server.health.add({ name: 'kms-providers', isHealthy: () => encryption.problems().length === 0 });
  }
  if (options.listen) listener = await serve(server, options.listen);
  const compactor = startCompactor({
    store,
    clock,
    log,
    intervalMs: options.compactionIntervalMs,
    onCompacted(before) {
      watchCache.compactedBefore = before;
    },
  });
  const events = registry.find('', 'v1', 'events')?.cache;
  const ttlMs = options.eventTtlMs ?? eventTtlMsDefault;
  const expiry = events && ttlMs > 0 ? startExpiry({ cache: events, store, clock, log, ttlMs }) : undefined;
  let stopStatus: (() => void) | undefined;
  const leaving: (() => Promise<void>)[] = [];
  const stop = async () => {
    const { inFlight, shutdown } = server;
    const stopAccepting = () => listener?.stopAccepting();
    const watchers = () => watchersOf(registry);
    shutdown.isInitiated = true;
    await runBeforeStop(server, leaving);
    if (listener) await drain({ clock, limits, shutdown, inFlight, watchers, stopAccepting });
    stopping.abort();
    stopStatus?.();
    services.stop();
    server.flowControl.stop();
    await Promise.all([listener?.close(), watchCache.stop(), compactor.stop(), expiry?.stop()]);
    await server.audit?.close();
    encryption?.stop();
    outbound.close();
  };
  try {
    const beforeStop = (work: () => Promise<void>) => void leaving.push(work);
    await runPostStartHooks(server, options.postStart ?? [], { transport: own.transport, beforeStop });
    if (isEnabled('StorageVersionAPI') && isEnabled('APIServerIdentity')) {
      // Not before the server's identity Lease is there: what servers without one tell is removed.
      await runPostStartHooks(server, [storageVersionHook({ clock, log })], { transport: own.transport, beforeStop });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  services.start();
  if (isEnabled('CoordinatedLeaderElection') && registry.preferred('coordination.k8s.io', 'leasecandidates')) {
    startLeaderElection({ state, transport: own.transport, clock, log, signal: stopping.signal });
  }
  if (limits.priorityAndFairness) {
    stopStatus = followSchemaStatus({ clock, random, log, state, transport: own.transport });
  }
  return {
    name: 'apiserver',
    state,
    url: listener?.url,
    transport: (user) => inMemoryTransport(server, userOf(user)),
    stop,
  };
}

const eventTtlMsDefault = 60 * 60_000;

/** Loaded only where something is encrypted. */
async function encryptionOf(
  { encryption, store, clock }: ApiServerOptions,
  parts: { readonly log: Logger; readonly metrics: MetricsRegistry; readonly onReload: () => void },
): Promise<Encryption | undefined> {
  if (!encryption) return undefined;
  const { createEncryption } = await import('./encryption/encryption.ts');
  return createEncryption(encryption, { store, clock, ...parts });
}

/** Of all resources, each once, whatever versions it has. */
function countsOf({ groups }: ResourceRegistry) {
  return groups.flatMap(({ group, versions }) => {
    const resources = new Map([...versions.values()].flatMap((one) => [...one.resources]));
    return [...resources.values()]
      .filter(({ verbsOf }) => verbsOf.get('')?.has('list'))
      .map(({ plural, cache }) => ({ group, resource: plural, count: cache.objects.size }));
  });
}

/** Of all resources, each once: two versions share their watchers. */
const watchersOf = ({ groups }: ResourceRegistry): Watcher[] => {
  const resources = groups.flatMap(({ versions }) =>
    [...versions.values()].flatMap((one) => [...one.resources.values()]),
  );
  return [...new Set(resources.map(({ cache }) => cache))].flatMap((cache) => [...cache.watchers()]);
};

/**
 * The first one alone, for the others need what it makes (namespaces); these at the same time. /readyz names those that
 * are not done. Throws what a hook throws, with its name.
 */
async function runPostStartHooks(
  server: ServerContext,
  hooks: readonly PostStartHook[],
  given: Pick<PostStartContext, 'transport' | 'beforeStop'>,
): Promise<void> {
  const { health, metrics, registry, store, stopping, newUid } = server;
  const writeStored = server.audit ? undefined : (values: readonly StoredValue[]) => writeAbsent(server, values);
  const checks = hooks.map(({ name }) => health.expect(name));
  const runHook = async ({ name, run }: PostStartHook, index: number) => {
    try {
      await run({ ...given, registry, metrics, store, writeStored, newUid, signal: stopping });
    } catch (error) {
      throw new Error(`the API server's post-start hook "${name}" failed: ${(error as Error).message}`, {
        cause: error,
      });
    }
    checks[index]?.done();
  };
  const [first, ...others] = hooks;
  if (first) await runHook(first, 0);
  await Promise.all(others.map((hook, index) => runHook(hook, index + 1)));
}

/** All wait for one transaction; what stands by now stays. */
async function writeAbsent({ store, watchCache }: ServerContext, values: readonly StoredValue[]): Promise<void> {
  const written = await Promise.all(values.map((value) => store.write([{ ...value, expect: 'absent' }])));
  await watchCache.reached(Math.max(0, ...written.map(({ revision }) => revision)));
}

/** What its parts do before they end; where the store does not answer, the others must find out by themselves. */
async function runBeforeStop({ clock, log }: ServerContext, leaving: readonly (() => Promise<void>)[]): Promise<void> {
  if (leaving.length === 0) return;
  const failed = (error: unknown) => log.warn('the API server could not take its leave', { error: String(error) });
  let cancel: (() => void) | undefined;
  const timeUp = new Promise<void>((resolve) => (cancel = clock.after(leaveMsMax, resolve)));
  await Promise.race([Promise.all(leaving.map((work) => work().catch(failed))), timeUp]);
  cancel?.();
}

const leaveMsMax = 20_000;

/** The server's own transport, which its parts are handed before there is a server to talk to. */
function lateTransport(): { readonly transport: Transport; connect(transport: Transport): void } {
  let target: Transport | undefined;
  const connected = (): Transport => {
    if (!target) throw StatusError.of('ServiceUnavailable', 'the API server is still starting');
    return target;
  };
  return {
    connect(transport) {
      target = transport;
    },
    transport: {
      request: (request) => connected().request(request),
      watch: (request) => connected().watch(request),
      stream: (request) => connected().stream(request),
      close: async () => {},
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
