import { StatusError } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import { podReferences } from '../../authorization/node/pod-references.ts';
import type { ClusterState } from '../../seams.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** What speaks against a pod that a kubelet makes: it may only show pods of its own files, which refer to nothing. */
export function checkMirrorPod(nodeName: string, pod: Pod, state: ClusterState): string | undefined {
  const node = `node ${JSON.stringify(nodeName)}`;
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, ${node} can only create mirror pods`;
  if (pod.spec.nodeName !== nodeName) return `${node} can only create pods with spec.nodeName set to itself`;
  const owner = checkOwner(nodeName, pod, state);
  if (owner) return owner;
  if (pod.spec.serviceAccountName) return `${node} can not create pods that reference a service account`;
  const { secrets, configMaps, claims } = podReferences(pod);
  if (secrets.size > 0) return `${node} can not create pods that reference secrets`;
  if (configMaps.size > 0) return `${node} can not create pods that reference configmaps`;
  const sources = (pod.spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (sources.some((source) => source.clusterTrustBundle))
    return `${node} can not create pods that reference clustertrustbundles`;
  return claims.size > 0 ? `${node} can not create pods that reference persistentvolumeclaims` : undefined;
}

function checkOwner(nodeName: string, pod: Pod, state: ClusterState): string | undefined {
  const node = `node ${JSON.stringify(nodeName)}`;
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return `${node} can only create pods with an owner reference set to itself`;
  if (!owner.controller) return `${node} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${node} must not set blockOwnerDeletion on an owner reference`;
  const object = state.get('', 'nodes', nodeName);
  if (!object) throw StatusError.notFound({ group: '', plural: 'nodes' }, nodeName);
  return object.metadata.uid === owner.uid
    ? undefined
    : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${object.metadata.uid}`;
}
