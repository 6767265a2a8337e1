import type { Transport } from '@kubernode/api';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { deepClone, sleep, withStatusCondition, type Clock, type Logger } from '@kubernode/machinery';
import type { Outbound } from '../outbound/outbound.ts';
import type { ResourceRegistry, ServedResource } from '../registry.ts';
import { objectKey, resourcePrefix } from '../storage/keys.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import { approvalCondition } from './definitions/approval.ts';
import { deleteInstances } from './cleanup.ts';
import { decideNames, hasCondition, type Condition } from './names.ts';
import { servedVersions } from './served.ts';
import { webhookConversion } from './webhook-conversion.ts';

export interface CustomResourcesOptions {
  readonly registry: ResourceRegistry;
  readonly watchCache: WatchCache;
  /** The server's own. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** For conversion webhooks. */
  readonly outbound: Outbound;
  readonly newUid: () => string;
}

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
const basePath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const retryMs = 1_000;

/** What is served of a CRD now, and of which form of it that was made. */
interface Served {
  readonly uid: string;
  /** The parts of the CRD that decide what is served. */
  readonly fingerprint: string;
  readonly resources: readonly ServedResource[];
}

/**
 * Serves what CustomResourceDefinitions define, from the moment they are established until they are gone, and keeps
 * their status: names, conditions, the deletion of instances. Follows the watch cache; ends with the signal.
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #cache: ResourceCache;
  readonly #served = new Map<string, Served>();
  readonly #pending = new Set<string>();
  readonly #finalizing = new Set<string>();
  #working = false;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#cache = options.watchCache.of(resourcePrefix('apiextensions.k8s.io', 'customresourcedefinitions'));
    for (const crd of this.#all()) {
      this.#serve(crd, true);
      this.#enqueue(crd.metadata.name);
    }
    const stop = this.#cache.onChange(({ object, deleted }) => {
      const crd = object.object as unknown as CustomResourceDefinition;
      if (deleted) this.#unserve(crd);
      else this.#serve(crd, false);
      this.#enqueueGroup(crd);
    });
    options.signal.addEventListener('abort', stop, { once: true });
  }

  *#all(): Generator<CustomResourceDefinition> {
    for (const { object } of this.#cache.objects.from(this.#cache.prefix)) {
      yield object as unknown as CustomResourceDefinition;
    }
  }

  /** A definition's name ends with its group: those of other groups are not decoded. */
  #ofGroup(group: string): CustomResourceDefinition[] {
    const stored = [...this.#cache.objects.from(this.#cache.prefix)].filter(({ name }) => name.endsWith(`.${group}`));
    return stored
      .map(({ object }) => object as unknown as CustomResourceDefinition)
      .filter(({ spec }) => spec.group === group);
  }

  #get(name: string): CustomResourceDefinition | undefined {
    const found = this.#cache.objects.get(objectKey(this.#cache.prefix, '', name));
    return found?.object as unknown as CustomResourceDefinition | undefined;
  }

  /** Names that one gives up another may be waiting for. */
  #enqueueGroup({ metadata, spec }: CustomResourceDefinition): void {
    this.#enqueue(metadata.name);
    for (const other of this.#ofGroup(spec.group)) this.#enqueue(other.metadata.name);
  }

  #enqueue(name: string): void {
    this.#pending.add(name);
    if (this.#working || this.#options.signal.aborted) return;
    this.#working = true;
    // The change is being told right now: whoever hears of it comes first.
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    for (const name of this.#pending) {
      if (this.#options.signal.aborted) break;
      this.#pending.delete(name);
      await this.#reconcile(name).catch((error: unknown) => this.#retry(name, error));
    }
    this.#working = false;
  }

  /** Another write came in between, or the server is busy: the next change, or a moment, brings it back. */
  #retry(name: string, error: unknown): void {
    const { clock, log, signal } = this.#options;
    if (signal.aborted) return;
    log.debug('a custom resource definition is tried again', { name, error: String(error) });
    sleep(clock, retryMs, signal).then(
      () => this.#enqueue(name),
      () => {},
    );
  }

  async #reconcile(name: string): Promise<void> {
    const crd = this.#get(name);
    if (!crd) return;
    if (crd.metadata.deletionTimestamp && crd.metadata.finalizers?.includes(cleanup)) return this.#finalizeAside(crd);
    const others = this.#ofGroup(crd.spec.group).filter(({ metadata }) => metadata.name !== name);
    const decided = decideNames(crd, others);
    const approval = approvalCondition(crd);
    const conditions = [decided?.accepted, decided?.established, approval].filter((each) => each !== undefined);
    const isNew = ({ type, status, reason, message }: Condition) =>
      !crd.status.conditions?.some(
        (old) => old.type === type && old.status === status && old.reason === reason && old.message === message,
      );
    if (!conditions.some(isNew) && (!decided || sameNames(decided.names, crd.status.acceptedNames))) return;
    await this.#updateStatus(crd, conditions, (changed) => {
      if (decided) changed.status.acceptedNames = decided.names;
    });
  }

  /** Finalizers of its instances may hold it for long: the other definitions do not wait for that. */
  #finalizeAside(crd: CustomResourceDefinition): void {
    const { name } = crd.metadata;
    if (this.#finalizing.has(name)) return;
    this.#finalizing.add(name);
    this.#finalize(crd)
      .catch((error: unknown) => this.#retry(name, error))
      .finally(() => this.#finalizing.delete(name));
  }

  async #finalize(crd: CustomResourceDefinition): Promise<void> {
    const progress = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' } as const;
    const marked = await this.#updateStatus(crd, [{ ...progress, message: 'CustomResource deletion is in progress' }]);
    const { name } = crd.metadata;
    const { resources = [] } = this.#served.get(name) ?? {};
    const done = await deleteInstances(marked, resources, this.#options);
    await this.#updateStatus(this.#get(name) ?? marked, [done], ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanup);
    });
  }

  async #updateStatus(
    crd: CustomResourceDefinition,
    conditions: readonly Condition[],
    change?: (crd: CustomResourceDefinition) => void,
  ): Promise<CustomResourceDefinition> {
    const body = deepClone(crd) as CustomResourceDefinition;
    const nowMs = this.#options.clock.now();
    for (const each of conditions) {
      body.status.conditions = withStatusCondition(body.status.conditions ?? [], each, nowMs);
    }
    change?.(body);
    const path = `${basePath}/${crd.metadata.name}/status`;
    return this.#options.transport.request<CustomResourceDefinition>({ method: 'PUT', path, body });
  }

  #serve(crd: CustomResourceDefinition, isStart: boolean): void {
    const { name, uid } = crd.metadata;
    const known = this.#served.get(name);
    if (known && known.uid !== uid) this.#unserve(crd);
    if (!hasCondition(crd, 'Established') && !hasCondition(crd, 'NamesAccepted')) return this.#unserve(crd);
    // A change of the spec, and nothing else, raises the generation.
    const { generation, deletionTimestamp } = crd.metadata;
    const fingerprint = JSON.stringify([generation, crd.status.acceptedNames, Boolean(deletionTimestamp)]);
    if (known?.uid === uid && known.fingerprint === fingerprint) return;
    const { registry, watchCache } = this.#options;
    const isFree = ({ group, version, plural }: ServedResource) => {
      const taken = registry.find(group, version, plural);
      return taken === undefined || taken.custom !== undefined;
    };
    const convert = webhookConversion(crd, this.#options);
    const resources = servedVersions(crd, watchCache, convert).filter(isFree);
    for (const resource of this.#served.get(name)?.resources ?? []) registry.remove(resource);
    registry.addVersions(resources);
    // What was there before the CRD is not told to those who watch: they begin with a list.
    const [first] = resources;
    if (!isStart && !this.#served.has(name)) first?.cache.beginAnew(watchCache.revision + 1);
    else if (!isStart) endWatches(known?.resources ?? []);
    this.#served.set(name, { uid, fingerprint, resources });
  }

  #unserve({ metadata }: CustomResourceDefinition): void {
    const known = this.#served.get(metadata.name);
    this.#served.delete(metadata.name);
    for (const resource of known?.resources ?? []) this.#options.registry.remove(resource);
    endWatches(known?.resources ?? []);
  }
}

const sameNames = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

/** Those who watch begin anew, with the schema as it is now. */
function endWatches(resources: readonly ServedResource[]): void {
  for (const { cache } of resources) for (const watcher of cache.watchers()) watcher.end();
}
