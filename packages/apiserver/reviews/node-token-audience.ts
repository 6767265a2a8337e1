import { StatusError } from '@kubernode/api';
import { aggregateMessages } from '@kubernode/machinery';
import type { TokenRequest } from '@kubernode/api/authentication/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import type { CSIDriver } from '@kubernode/api/storage/v1';
import { nodeOf } from '../authorization/node/node-identity.ts';
import type { Authorizer, ClusterState, VirtualRequest } from '../seams.ts';

type Asked = Pick<VirtualRequest, 'attributes' | 'user' | 'object'>;

const verb = 'request-serviceaccounts-token-audience';

/**
 * A kubelet gets tokens for the audiences that its pod's volumes name, or that it was given the right to ask for (KEP-4412,
 * gate ServiceAccountNodeAudienceRestriction). Rejects with StatusError; other users may ask for what they like.
 */
export async function checkNodeTokenAudience(
  { attributes, user, object }: Asked,
  state: ClusterState,
  authorize: Authorizer,
): Promise<void> {
  if (!nodeOf(user)) return;
  const { boundObjectRef, audiences = [] } = (object as { readonly spec?: Partial<TokenRequest['spec']> }).spec ?? {};
  const refuse = (why: string) => StatusError.forbidden({ group: '', plural: 'serviceaccounts' }, attributes.name, why);
  if (audiences.length > 1) throw refuse('node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  const { namespace, name } = attributes;
  const pod = state.get('', 'pods', boundObjectRef?.name ?? '', namespace) as Pod | undefined;
  if (!pod) throw StatusError.notFound({ group: '', plural: 'pods' }, boundObjectRef?.name ?? '');
  const errors: string[] = [];
  if (namesAudience(pod, audience, state, errors)) return;
  const quoted = JSON.stringify(audience);
  if (errors.length > 0) throw refuse(`error validating audience ${quoted}: ${aggregateMessages(errors)}`);
  const asked = { verb, group: '', version: 'v1', resource: audience, subresource: '', namespace, name, path: '' };
  const decision = await authorize(user, asked);
  if (decision.allowed) return;
  if (decision.error !== undefined) {
    throw refuse(`error authorizing ${user.name} to request tokens for audience ${quoted}: ${decision.error}`);
  }
  throw refuse(`${user.name} is not authorized to request tokens for audience ${quoted}`);
}

/** Whether a projected token, or the driver of a CSI volume, is for that audience. */
function namesAudience(pod: Pod, audience: string, state: ClusterState, errors: string[]): boolean {
  for (const volume of pod.spec.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience)) return true;
    const claim = volume.ephemeral?.volumeClaimTemplate
      ? `${pod.metadata.name}-${volume.name}`
      : volume.persistentVolumeClaim?.claimName;
    const name = claim ? driverOf(pod.metadata.namespace ?? '', claim, state, errors) : volume.csi?.driver;
    if (!name) continue;
    const driver = state.get('storage.k8s.io', 'csidrivers', name) as CSIDriver | undefined;
    if (!driver) errors.push(`csidriver.storage.k8s.io ${JSON.stringify(name)} not found`);
    else if (driver.spec.tokenRequests?.some((request) => request.audience === audience)) return true;
  }
  return false;
}

function driverOf(namespace: string, claimName: string, state: ClusterState, errors: string[]): string | undefined {
  const claim = state.get('', 'persistentvolumeclaims', claimName, namespace) as PersistentVolumeClaim | undefined;
  if (!claim) {
    errors.push(`persistentvolumeclaim ${JSON.stringify(claimName)} not found`);
    return undefined;
  }
  const volumeName = claim.spec?.volumeName ?? '';
  const volume = state.get('', 'persistentvolumes', volumeName) as PersistentVolume | undefined;
  if (!volume) errors.push(`persistentvolume ${JSON.stringify(volumeName)} not found`);
  return volume?.spec?.csi?.driver;
}
