import { isReason, type ResourceList, type Transport } from '@kubernode/api';
import type { ResourceQuota } from '@kubernode/api/core/v1';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { checkLimited, type LimitedResource } from './limited-resources.ts';
import { booked, isCounted, pertinent, usageChange, type Pertinent, type UsageChange } from './quota-evaluation.ts';

export interface ResourceQuotaOptions {
  /** Writes the quotas' status. */
  readonly transport: () => Transport;
  /** What nobody may take without a quota that covers it. */
  readonly limitedResources?: readonly LimitedResource[] | undefined;
}

/** How often a booking is tried again: the quota's controller writes, too, whenever it has counted after a deletion. */
const conflictRetriesMax = 20;

/**
 * Refuses what would exceed a quota of the namespace, and books what does not before it is stored, so that concurrent
 * requests cannot slip through together. One request at a time for each namespace that has quotas.
 */
export function resourceQuota(state: ClusterState, options: ResourceQuotaOptions): AdmissionPlugin {
  const ledger = new Ledger(state, options);
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { namespace } = request.attributes;
      if (!namespace || !isCounted(request)) return undefined;
      if (!options.limitedResources?.length && state.list('', 'resourcequotas', namespace).length === 0)
        return undefined;
      return ledger.inTurn(namespace, () => ledger.take(request, usageChange(request)));
    },
  };
}

/** Books in the quotas' status, which is there to be read when it is written. */
class Ledger {
  readonly #state: ClusterState;
  readonly #options: ResourceQuotaOptions;
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
    const quotas = this.#quotas(request.attributes.namespace);
    // All quotas are asked before any is changed: a refusal by the second leaves no booking in the first.
    const concerned = quotas.map((quota) => pertinent(request, quota, change)).filter((found) => found !== undefined);
    checkLimited(this.#options.limitedResources ?? [], { request, change, quotas, concerned });
    const bookings = concerned
      .map((found) => ({ quota: found.quota, used: usedAfter(request, found) }))
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
        await this.#options.transport().request<ResourceQuota>({ method: 'PUT', path, body });
        return;
      } catch (error) {
        // Deleted meanwhile: nothing limits any more.
        if (isReason(error, 'NotFound')) return;
        if (!isReason(error, 'Conflict') || attempt >= conflictRetriesMax) throw error;
        quota = await this.#fresh(quota);
        wanted = usedAfter(request, pertinent(request, quota, change));
      }
    }
  }

  async #fresh({ metadata: { namespace, name } }: ResourceQuota): Promise<ResourceQuota> {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;
    return this.#options.transport().request<ResourceQuota>({ method: 'GET', path });
  }

  #quotas(namespace: string): ResourceQuota[] {
    const quotas = this.#state.list('', 'resourcequotas', namespace) as readonly ResourceQuota[];
    return quotas.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }
}

const usedAfter = (request: AdmissionRequest, found: Pertinent | undefined): ResourceList | undefined =>
  found && booked(request, found);
