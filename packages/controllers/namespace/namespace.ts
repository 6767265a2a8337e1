import { Namespace, Pod } from '@kubernode/api/core/v1';
import { controller, mapped, status, subresource, type ReconcileContext, type WatchContext } from '@kubernode/client';
import { discover } from '../shared/discovery.ts';
import { conditionsOf, type Remains } from './conditions.ts';
import { deleteContent } from './delete-content.ts';

const finalizer = 'kubernetes';

/** Empties a namespace that was deleted, and lets it go once nothing is left in it. */
export const namespaceController = controller<Namespace>({
  name: 'namespace-controller',
  reconciles: Namespace,
  watches: [mapped(Pod, endingNamespaceOf)],
  writes: [status(Namespace), subresource(Namespace, 'finalize')],
  concurrency: 10,
  filter: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  async reconcile(namespace, context) {
    if (!namespace.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(finalizer)) return;
    const { client, name } = context;
    const left = await deleteContent(client, name, await discover(client));
    const current = await writeConditions(namespace, left, context);
    if (left.waitMs > 0) return { requeueAfterMs: left.waitMs / 2 + 1_000 };
    const isEmpty = left.objects.size === 0 && left.failures.length === 0 && left.undiscovered.length === 0;
    if (!isEmpty) throw new Error(`namespace ${name} is not empty: ${whatIsLeft(left)}`);
    const finalizers = current.spec.finalizers?.filter((one) => one !== finalizer) ?? [];
    const body = { ...current, apiVersion: 'v1', kind: 'Namespace', spec: { ...current.spec, finalizers } };
    await client.subresource('PUT', Namespace, { name }, 'finalize', body);
  },
});

/** The last pod that goes lets its namespace go on. */
function endingNamespaceOf({ metadata }: Pod, { informer }: WatchContext): string[] {
  const { name, namespace = '' } = metadata;
  const isGone = informer(Pod).get(name, namespace) === undefined;
  return isGone && informer(Namespace).get(namespace)?.metadata.deletionTimestamp ? [namespace] : [];
}

async function writeConditions(
  namespace: Namespace,
  left: Remains,
  { client, now }: ReconcileContext,
): Promise<Namespace> {
  const conditions = conditionsOf(left, namespace.status.conditions, now());
  if (!conditions) return namespace;
  return client.updateStatus(Namespace, { ...namespace, status: { ...namespace.status, conditions } });
}

function whatIsLeft({ objects, failures, undiscovered }: Remains): string {
  return [...objects.keys(), ...failures, ...undiscovered].slice(0, 10).join(', ');
}
