import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@kubernode/api/core/v1';
import {
  controller,
  keyOf,
  mapped,
  runController,
  status,
  type ReconcileContext,
  type WatchContext,
} from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import type { BuiltInController, ControllerContext } from '../built-in.ts';
import { isFinished } from '../shared/pods.ts';
import { CountedObjects } from './counted-objects.ts';
import { countedResources, usedOf } from './usage.ts';

const name = 'resourcequota-controller';
/** Upstream's `--resource-quota-sync-period`. */
const recountMs = 300_000;

/**
 * Counts what is used of each quota. Admission counts what is made; this counts anew when something goes or changes,
 * and when the quota itself says something else.
 */
export const resourceQuotaController: BuiltInController = {
  name,
  start(context) {
    const recounts = new Recounts();
    const counted = new CountedObjects(context, (namespace) => recounts.ask(namespace));
    const running = runController(declaration(counted, recounts), context);
    recounts.useQueue(context);
    return {
      name,
      async stop() {
        counted.stop();
        await running.stop();
      },
    };
  },
};

/**
 * Which quotas are to be counted anew. A quota whose status alone changed is not: admission has just counted what is not
 * stored yet, and a count of what is stored would take that back.
 */
class Recounts {
  readonly #due = new Set<string>();
  readonly #countedMs = new Map<string, number>();
  #quotasIn: (namespace: string) => readonly ResourceQuota[] = () => [];
  #add: (key: string) => void = () => {};

  useQueue({ informers }: ControllerContext): void {
    this.#quotasIn = (namespace) => informers.for(ResourceQuota).list(namespace);
  }

  /** How to make a key due; known once there was a first reconciliation. */
  onAsk(add: (key: string) => void): void {
    this.#add = add;
  }

  /** The quotas of a namespace are due. */
  ask(namespace: string): string[] {
    const keys = this.#quotasIn(namespace).map(keyOf);
    for (const key of keys) {
      this.#due.add(key);
      this.#add(key);
    }
    return keys;
  }

  isDue(key: string, { metadata, spec, status }: ResourceQuota, nowMs: number): boolean {
    const isNew = metadata.deletionTimestamp === undefined && !deepEqual(spec.hard ?? {}, status.hard ?? {});
    return isNew || this.#due.has(key) || nowMs - (this.#countedMs.get(key) ?? 0) >= recountMs;
  }

  begin(key: string): void {
    this.#due.delete(key);
  }

  fail(key: string): void {
    this.#due.add(key);
  }

  finish(key: string, nowMs: number): void {
    this.#countedMs.set(key, nowMs);
  }

  forget(key: string): void {
    this.#due.delete(key);
    this.#countedMs.delete(key);
  }
}

function declaration(counted: CountedObjects, recounts: Recounts) {
  const inNamespace = ({ metadata }: { metadata: { namespace?: string | undefined } }) =>
    recounts.ask(metadata.namespace ?? '');
  return controller<ResourceQuota>({
    name,
    reconciles: ResourceQuota,
    watches: [
      mapped(Pod, (pod, context) => (mayFree(pod, context) ? inNamespace(pod) : [])),
      mapped(Service, inNamespace),
      mapped(PersistentVolumeClaim, inNamespace),
    ],
    writes: [status(ResourceQuota)],
    onDeleted: true,
    async reconcile(quota, context) {
      const { key, now, queue } = context;
      recounts.onAsk((due) => queue.add(due));
      if (!quota) return recounts.forget(key);
      if (!recounts.isDue(key, quota, now())) return;
      recounts.begin(key);
      try {
        await recount(quota, counted, context);
      } catch (error) {
        recounts.fail(key);
        throw error;
      }
      recounts.finish(key, now());
      return { requeueAfterMs: recountMs };
    },
  });
}

/** A pod that is gone, or has ended, gives back what it used. */
function mayFree(pod: Pod, { informer }: WatchContext): boolean {
  return isFinished(pod) || informer(Pod).get(pod.metadata.name, pod.metadata.namespace) === undefined;
}

async function recount(
  quota: ResourceQuota,
  counted: CountedObjects,
  { client, namespace }: ReconcileContext,
): Promise<void> {
  const hard = quota.spec.hard ?? {};
  await Promise.all(countedResources(hard).map((resource) => counted.watch(resource)));
  const used = usedOf(quota, (resource) => counted.list(resource, namespace));
  if (deepEqual(quota.status.hard ?? {}, hard) && deepEqual(quota.status.used ?? {}, used)) return;
  await client.updateStatus(ResourceQuota, { ...quota, status: { hard, used } });
}
