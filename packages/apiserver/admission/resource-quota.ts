import { isReason, type KubernetesObject, type Transport } from '@kubernode/api';
import type { Pod, ResourceQuota } from '@kubernode/api/core/v1';
import { compareQuantities, subtractQuantities } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../seams.ts';
import { refuse } from './refuse.ts';
import { addLists, quotaScopesMatch, quotaUsageOf, type ResourceList } from '@kubernode/api';

export interface ResourceQuotaOptions {
  /** Writes the quotas' status. */
  readonly transport: () => Transport;
}

/** Resources whose updates can take more than before; of all others only creation counts. */
const growing = new Set(['pods', 'services', 'persistentvolumeclaims']);
const conflictRetriesMax = 5;

/**
 * Refuses what would exceed a quota of the namespace, and books what does not before it is stored, so that concurrent
 * requests cannot slip through together. One request at a time for each namespace that has quotas.
 */
export function resourceQuota(state: ClusterState, options: ResourceQuotaOptions): AdmissionPlugin {
  const ledger = new Ledger(state, options);
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { group, resource, namespace } = request.attributes;
      if (!namespace || !isCounted(request)) return;
      if (state.list('', 'resourcequotas', namespace).length === 0) return;
      const take = () => ledger.take(request, usageChange(request, group, resource));
      return ledger.inTurn(namespace, take);
    },
  };
}

function isCounted({ operation, attributes: { resource, subresource, group } }: AdmissionRequest): boolean {
  if (operation === 'CREATE') return subresource === '';
  const grows = group === '' && growing.has(resource);
  return operation === 'UPDATE' && grows && (subresource === '' || subresource === 'resize');
}

/** What the object takes now, and what it took before. */
interface UsageChange {
  readonly usage: ResourceList;
  readonly before: ResourceList;
}

function usageChange({ object, oldObject }: AdmissionRequest, group: string, resource: string): UsageChange {
  return {
    usage: quotaUsageOf(group, resource, object!),
    before: oldObject ? quotaUsageOf(group, resource, oldObject) : {},
  };
}

/** The quotas as they were last written by us or seen in the cluster, whichever is newer. */
class Ledger {
  readonly #state: ClusterState;
  readonly #options: ResourceQuotaOptions;
  readonly #written = new Map<string, ResourceQuota>();
  readonly #turns = new Map<string, Promise<void>>();

  constructor(state: ClusterState, options: ResourceQuotaOptions) {
    this.#state = state;
    this.#options = options;
  }

  /** Runs after everything that was asked for the namespace before. */
  async inTurn(namespace: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#turns.set(namespace, mine);
    try {
      await mine;
    } finally {
      if (this.#turns.get(namespace) === mine) this.#turns.delete(namespace);
    }
  }

  async take(request: AdmissionRequest, change: UsageChange): Promise<void> {
    // All quotas are asked before any is changed: a refusal by the second leaves no booking in the first.
    const bookings = this.#quotas(request.attributes.namespace)
      .map((quota) => ({ quota, used: newUsage(request, quota, change) }))
      .filter(({ used }) => used !== undefined);
    if (request.dryRun) return;
    for (const { quota, used } of bookings) await this.#book(request, change, quota, used!);
  }

  async #book(request: AdmissionRequest, change: UsageChange, first: ResourceQuota, used: ResourceList): Promise<void> {
    let quota = first;
    let wanted: ResourceList | undefined = used;
    for (let attempt = 1; wanted; attempt++) {
      try {
        const status = { ...quota.status, used: wanted };
        const { namespace, name } = quota.metadata;
        const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}/status`;
        const body = { apiVersion: 'v1', kind: 'ResourceQuota', ...quota, status };
        const written = await this.#options.transport().request<ResourceQuota>({ method: 'PUT', path, body });
        this.#written.set(written.metadata.uid ?? '', written);
        return;
      } catch (error) {
        // Deleted meanwhile: nothing limits any more.
        if (isReason(error, 'NotFound')) return;
        if (!isReason(error, 'Conflict') || attempt >= conflictRetriesMax) throw error;
        quota = await this.#fresh(quota);
        wanted = newUsage(request, quota, change);
      }
    }
  }

  async #fresh({ metadata: { namespace, name } }: ResourceQuota): Promise<ResourceQuota> {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;
    return this.#options.transport().request<ResourceQuota>({ method: 'GET', path });
  }

  #quotas(namespace: string): ResourceQuota[] {
    const quotas = this.#state.list('', 'resourcequotas', namespace) as readonly ResourceQuota[];
    return quotas
      .map((seen) => {
        const written = this.#written.get(seen.metadata.uid ?? '');
        if (!written || versionOf(seen) < versionOf(written)) return written ?? seen;
        this.#written.delete(seen.metadata.uid ?? '');
        return seen;
      })
      .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }
}

const versionOf = ({ metadata }: KubernetesObject): number => Number(metadata.resourceVersion ?? 0);

/** What the quota's `used` becomes; undefined where the change does not concern it. Throws where it does not fit. */
function newUsage(request: AdmissionRequest, quota: ResourceQuota, change: UsageChange): ResourceList | undefined {
  const { group, resource } = request.attributes;
  if (!quotaScopesMatch(quota, resource, request.object!)) return undefined;
  const hard: ResourceList = quota.status?.hard ?? {};
  const used: ResourceList = quota.status?.used ?? {};
  const restricted = Object.keys(hard).filter((name) => concerns(name, group, resource));
  if (restricted.length === 0) return undefined;
  const name = quota.metadata.name;
  if (resource === 'pods' && group === '' && request.operation === 'CREATE') {
    const missing = missingResources(request.object as Pod, restricted);
    if (missing) throw refuse(request, `failed quota: ${name}: must specify ${missing}`);
  }
  const unknown = restricted.filter((key) => used[key] === undefined).sort();
  if (unknown.length > 0) throw refuse(request, `status unknown for quota: ${name}, resources: ${unknown.join(',')}`);
  const wasCounted = request.oldObject !== undefined && quotaScopesMatch(quota, resource, request.oldObject);
  const delta = increase(change.usage, wasCounted ? change.before : {}, restricted);
  if (Object.keys(delta).length === 0) return undefined;
  const sum = addLists(used, delta);
  const exceeded = Object.keys(delta).filter((key) => compareQuantities(sum[key]!, hard[key]!) > 0);
  if (exceeded.length === 0) return sum;
  const show = (list: ResourceList) =>
    exceeded
      .sort()
      .map((key) => `${key}=${list[key]}`)
      .join(',');
  throw refuse(
    request,
    `exceeded quota: ${name}, requested: ${show(delta)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}

/** Whether objects of a resource can take anything of what a quota limits under this name. */
function concerns(name: string, group: string, resource: string): boolean {
  if (name === `count/${group ? `${resource}.${group}` : resource}`) return true;
  if (group !== '') return false;
  if (resource === 'services') return name === 'services' || name.startsWith('services.');
  if (resource === 'persistentvolumeclaims')
    return name === resource || name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/');
  if (resource !== 'pods') return name === resource;
  if (name === 'requests.storage' || name.startsWith('count/') || name.includes('.storageclass.')) return false;
  return /^(pods|cpu|memory|ephemeral-storage)$|^(requests|limits)\.|^hugepages-/.test(name);
}

/** What is taken more than before, without zeros; giving back is the controller's to book. */
function increase(usage: ResourceList, before: ResourceList, names: readonly string[]): ResourceList {
  const delta: Record<string, string | number> = {};
  for (const name of names) {
    const [now, was] = [usage[name], before[name]];
    if (now === undefined) continue;
    const more = was === undefined ? now : subtractQuantities(now, was);
    if (compareQuantities(more, 0) > 0) delta[name] = more;
  }
  return delta;
}

/** `requests.cpu for: a,b; limits.memory for: a`: computed resources that the quota limits must be given by everyone. */
function missingResources(pod: Pod, restricted: readonly string[]): string {
  const wanted = restricted.filter((name) => /^((requests|limits)\.)?(cpu|memory)$/.test(name)).sort();
  const lacking = new Map<string, string[]>();
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    for (const name of wanted) {
      const what = name.startsWith('limits.') ? 'limits' : 'requests';
      const key = name.replace(/^(requests|limits)\./, '');
      const amount = container.resources?.[what]?.[key] ?? pod.spec.resources?.[what]?.[key];
      if (amount === undefined) lacking.set(name, [...(lacking.get(name) ?? []), container.name]);
    }
  }
  return [...lacking].map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`).join('; ');
}
