import { isReason, type KubernetesObject } from '@kubernode/api';
import { Pod } from '@kubernode/api/core/v1';
import type { Client } from '@kubernode/client';
import type { DiscoveredResource, Discovery } from '../shared/discovery.ts';
import type { Remains } from './conditions.ts';

export interface ContentLeft extends Remains {
  /** When the rest may be gone: 0 where nothing is left to wait for. */
  readonly waitMs: number;
}

/** Finalizers take their time; nobody knows how long. */
const finalizersWaitMs = 15_000;

interface Tally {
  readonly failures: string[];
  readonly objects: Map<string, number>;
  readonly finalizers: Map<string, number>;
  waitMs: number;
}

/**
 * Deletes all that is in a namespace: first the pods, and the rest once they are gone, so that nothing that a pod needs
 * to end well goes before it (KEP-5080).
 */
export async function deleteContent(
  client: Client,
  namespace: string,
  { resources, failed }: Discovery,
): Promise<ContentLeft> {
  const deletable = resources.filter(({ kind, verbs }) => kind.namespaced && verbs.includes('delete'));
  const isPod = ({ kind }: DiscoveredResource) => kind.group === '' && kind.plural === 'pods';
  const podTally = newTally();
  await Promise.all(deletable.filter(isPod).map((pods) => deleteAll(client, namespace, pods, podTally)));
  if (podTally.objects.size > 0) {
    // As long as only pods are waited for, the conditions name no content.
    const { failures, waitMs } = podTally;
    return { undiscovered: failed, failures, objects: new Map(), finalizers: new Map(), waitMs };
  }
  const tally = newTally();
  tally.failures.push(...podTally.failures);
  const others = deletable.filter((resource) => !isPod(resource));
  await Promise.all(others.map((resource) => deleteAll(client, namespace, resource, tally)));
  return { undiscovered: failed, ...tally };
}

const newTally = (): Tally => ({ failures: [], objects: new Map(), finalizers: new Map(), waitMs: 0 });

async function deleteAll(
  client: Client,
  namespace: string,
  { kind, verbs }: DiscoveredResource,
  tally: Tally,
): Promise<void> {
  try {
    const before = await client.list(kind, { namespace });
    if (before.items.length === 0) return;
    const background = { propagationPolicy: 'Background' };
    if (verbs.includes('deletecollection')) await client.deleteCollection(kind, { namespace }, background);
    else
      for (const { metadata } of before.items)
        await client.delete(kind, { name: metadata.name, namespace }, background).catch(ignoreGone);
    const { items } = await client.list(kind, { namespace });
    if (items.length > 0) count(kind, items, tally);
  } catch (error) {
    // A resource that went away meanwhile has no content any more.
    if (!isReason(error, 'NotFound', 'MethodNotAllowed')) tally.failures.push((error as Error).message);
  }
}

function count(kind: DiscoveredResource['kind'], items: readonly KubernetesObject[], tally: Tally): void {
  tally.objects.set(`${kind.plural}.${kind.group}`, items.length);
  for (const { metadata } of items) {
    for (const name of metadata.finalizers ?? []) {
      tally.finalizers.set(name, (tally.finalizers.get(name) ?? 0) + 1);
      tally.waitMs = Math.max(tally.waitMs, finalizersWaitMs);
    }
  }
  if (kind.group !== Pod.group || kind.plural !== Pod.plural) return;
  const graces = (items as readonly Pod[]).map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0);
  tally.waitMs = Math.max(tally.waitMs, ...graces.map((seconds) => Number(seconds) * 1000));
}

function ignoreGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}
