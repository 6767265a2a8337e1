import { isReason } from '@kubernode/api';
import { Namespace, ServiceAccount } from '@kubernode/api/core/v1';
import { controller, mapped } from '@kubernode/client';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';

/** Every namespace has this service account. */
const defaultName = 'default';

/** Makes the service account `default` in each namespace, and again when it is deleted. */
export const serviceAccountController = controller({
  name: 'service-account-controller',
  reconciles: Namespace,
  watches: [
    mapped(ServiceAccount, ({ metadata }) => (metadata.name === defaultName ? [metadata.namespace ?? ''] : [])),
  ],
  writes: [ServiceAccount],
  async reconcile({ metadata, status }, { client, informer }) {
    if (status.phase === 'Terminating' || metadata.deletionTimestamp) return;
    if (informer(ServiceAccount).get(defaultName, metadata.name)) return;
    const account = { metadata: { name: defaultName, namespace: metadata.name } };
    await client.create(ServiceAccount, account).catch((error: unknown) => {
      // The namespace may have begun to end meanwhile; upstream overlooks that, too.
      if (!isReason(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
    });
  },
});
