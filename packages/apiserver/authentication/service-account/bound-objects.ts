import type { KubernetesObject } from '@kubernode/api';
import type { ClusterState } from '../../seams.ts';
import type { BoundObject, PrivateClaims } from './claims.ts';

/** How long a token outlives the deletion of what it is bound to, while that is still terminating. */
const terminatingLeewayMs = 60_000;
const invalidated = 'service account token has been invalidated';

/** A token ends with the account and the object that it is bound to. Throws in upstream's words (serviceaccount/claims.go). */
export function checkBoundObjects(claims: PrivateClaims, state: ClusterState, nowMs: number): void {
  const { namespace, serviceaccount, pod, secret, node } = claims;
  const isGone = ({ metadata }: KubernetesObject) =>
    metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) + terminatingLeewayMs < nowMs;
  const account = state.get('', 'serviceaccounts', serviceaccount.name, namespace);
  if (!account) throw new Error(`serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`);
  if (account.metadata.uid !== serviceaccount.uid) {
    throw new Error(`service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`);
  }
  if (isGone(account)) throw new Error(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  const check = (what: string, short: string, wanted: BoundObject, object: KubernetesObject | undefined) => {
    if (!object) throw new Error(invalidated);
    if (object.metadata.uid !== wanted.uid) {
      const claimed = `service account ${short} ref claim (${wanted.uid})`;
      throw new Error(`${what} UID (${object.metadata.uid}) does not match ${claimed}`);
    }
    if (isGone(object)) throw new Error(invalidated);
  };
  if (secret) check('secret', 'secret', secret, state.get('', 'secrets', secret.name, namespace));
  if (pod) check('pod', 'pod', pod, state.get('', 'pods', pod.name, namespace));
  // A pod's token only says on which node it was made; a token that is bound to a node alone ends with it.
  if (node && !pod) check('node', 'node', node, state.get('', 'nodes', node.name));
}
