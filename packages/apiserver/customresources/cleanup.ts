import type { Transport } from '@kubernode/api';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import type { ServedResource } from '../registry.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import { hasCondition, type Condition } from './names.ts';

const terminating = (reason: string, message: string): Condition => ({
  type: 'Terminating',
  status: 'False',
  reason,
  message,
});

/**
 * Deletes all instances of a CRD and waits until the last one is gone: finalizers may hold them. Answers what to say of
 * it; throws what a deletion failed with, or where the signal aborts.
 */
export async function deleteInstances(
  crd: CustomResourceDefinition,
  resources: readonly ServedResource[],
  { transport, signal }: { readonly transport: Transport; readonly signal: AbortSignal },
): Promise<Condition> {
  const [resource] = resources;
  if (!hasCondition(crd, 'Established')) return terminating('NeverEstablished', 'resource was never established');
  if (resource) {
    const { cache, namespaced, apiVersion, plural } = resource;
    const namespaces = new Set([...cache.objects.from(cache.prefix)].map(({ namespace }) => namespace));
    for (const namespace of namespaces) {
      const scope = namespaced ? `/namespaces/${namespace}` : '';
      await transport.request({ method: 'DELETE', path: `/apis/${apiVersion}${scope}/${plural}` });
    }
    await emptied(cache, signal);
  }
  return terminating('InstanceDeletionCompleted', 'removed all instances');
}

/** Resolves when the cache has no objects any more. */
function emptied(cache: ResourceCache, signal: AbortSignal): Promise<void> {
  const isEmpty = () => cache.objects.from(cache.prefix)[Symbol.iterator]().next().done === true;
  return new Promise((resolve, reject) => {
    if (isEmpty()) return resolve();
    const settle = () => {
      stop();
      signal.removeEventListener('abort', onAbort);
    };
    const stop = cache.onChange(() => {
      if (!isEmpty()) return;
      settle();
      resolve();
    });
    const onAbort = () => {
      settle();
      reject(new Error('the server stops'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
