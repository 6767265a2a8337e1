import { isReason } from '@kubernode/api';
import { ConfigMap, Pod, Secret, ServiceAccount } from '@kubernode/api/core/v1';
import { controller, type ReconcileContext } from '@kubernode/client';
import { dateOf, decide, invalidSinceLabel } from './decide.ts';

const tracking = 'kube-apiserver-legacy-service-account-token-tracking';
const dayMs = 24 * 3600 * 1000;

/** Looks once a day for tokens of service accounts that nobody has used for a year. */
export const legacyTokenCleanerController = controller({
  name: 'legacy-service-account-token-cleaner',
  reconciles: Secret,
  reads: [ServiceAccount, Pod],
  writes: [Secret],
  resyncMs: dayMs,
  filter: ({ type }) => type === 'kubernetes.io/service-account-token',
  async reconcile(secret, context) {
    const { client, informer, namespace, now } = context;
    if (secret.type !== 'kubernetes.io/service-account-token') return;
    const accountName = secret.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
    const facts = {
      nowMs: now(),
      account: informer(ServiceAccount).get(accountName, namespace),
      pods: informer(Pod).list(namespace),
    };
    // Without a date nearly all are kept anyway: it is asked for only where something would be done.
    if (decide(secret, { ...facts, trackedSince: '1970-01-01' }) === 'keep') return;
    const verdict = decide(secret, { ...facts, trackedSince: await trackedSince(context) });
    const { name, uid, resourceVersion } = secret.metadata;
    if (verdict === 'mark') {
      const labels = { [invalidSinceLabel]: dateOf(now()) };
      await client.patch(Secret, { name, namespace }, { type: 'merge', body: { metadata: { uid, labels } } });
    } else if (verdict === 'delete') {
      await client.delete(Secret, { name, namespace }, { preconditions: { resourceVersion } }).catch(ignoreGone);
    }
  },
});

async function trackedSince({ client }: ReconcileContext): Promise<string | undefined> {
  const found = await client.get(ConfigMap, tracking, 'kube-system').catch(ignoreGone);
  return found?.data?.['since'];
}

function ignoreGone(error: unknown): undefined {
  if (!isReason(error, 'NotFound', 'Conflict')) throw error;
}
