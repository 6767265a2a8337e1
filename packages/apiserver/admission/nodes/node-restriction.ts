import { StatusError, type IsEnabled } from '@kubernode/api';
import type { Node, PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import type { ResourceSlice } from '@kubernode/api/resource/v1';
import type { TokenRequest } from '@kubernode/api/authentication/v1';
import { deepEqual, table } from '@kubernode/machinery';
import { nodeOf } from '../../authorization/node/node-identity.ts';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { checkMirrorPod } from './node-mirror-pod.ts';
import { signingRequestRule } from './node-signing-request.ts';
import { refuse } from '../refuse.ts';

/** A kubelet changes only its own node, and the pods, leases and claims that belong to it (KEP-279, KEP-2400). */
export function nodeRestriction(state: ClusterState, isEnabled: IsEnabled): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    mutate(request) {
      if (request.operation !== 'DELETE') restrict(request, state, isEnabled);
    },
    validate(request) {
      if (request.operation === 'DELETE') restrict(request, state, isEnabled);
    },
  };
}

function restrict(request: AdmissionRequest, state: ClusterState, isEnabled: IsEnabled): void {
  if (request.operation === 'CONNECT') return;
  const identity = nodeOf(request.user);
  if (!identity) return;
  const { name } = identity;
  if (name === '') throw refuse(request, `could not determine node from user ${JSON.stringify(request.user.name)}`);
  const why = rules[`${request.attributes.group}/${request.attributes.resource}`]?.(name, request, state, isEnabled);
  if (why) throw refuse(request, why);
}

/** What speaks against a request; nothing lets it pass. May throw where something that it needs is not there. */
type Rule = (
  nodeName: string,
  request: AdmissionRequest,
  state: ClusterState,
  isEnabled: IsEnabled,
) => string | undefined;

const rules: Readonly<Record<string, Rule>> = table({
  '/pods': podRule,
  '/nodes': nodeRule,
  '/persistentvolumeclaims': claimRule,
  'coordination.k8s.io/leases': leaseRule,
  'storage.k8s.io/csinodes': csiNodeRule,
  'resource.k8s.io/resourceslices': sliceRule,
  'certificates.k8s.io/certificatesigningrequests': (nodeName, request, _state, isEnabled) =>
    isEnabled('AllowInsecureKubeletCertificateSigningRequests') ? undefined : signingRequestRule(nodeName, request),
});

function podRule(nodeName: string, request: AdmissionRequest, state: ClusterState): string | undefined {
  const { subresource, name, namespace } = request.attributes;
  const quoted = JSON.stringify(nodeName);
  const existing = (): Pod => {
    const pod = state.get('', 'pods', name, namespace) as Pod | undefined;
    if (!pod) throw StatusError.notFound({ group: '', plural: 'pods' }, name);
    return pod;
  };
  if (subresource === 'status') {
    const [pod, old] = [request.object as Pod, request.oldObject as Pod];
    if (old.spec.nodeName !== nodeName)
      return `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`;
    if (!deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {}))
      return `node ${quoted} cannot update labels through pod status`;
    return deepEqual(pod.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? [])
      ? undefined
      : `node ${quoted} cannot update resource claim statues`;
  }
  if (subresource === 'eviction')
    return existing().spec.nodeName === nodeName
      ? undefined
      : `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
  if (subresource !== '')
    return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  if (request.operation === 'CREATE') return checkMirrorPod(nodeName, request.object as Pod, state);
  if (request.operation !== 'DELETE')
    return `unexpected operation "${request.operation}", node ${quoted} can only create and delete mirror pods`;
  return existing().spec.nodeName === nodeName
    ? undefined
    : `node ${quoted} can only delete pods with spec.nodeName set to itself`;
}

function nodeRule(nodeName: string, request: AdmissionRequest): string | undefined {
  const quoted = JSON.stringify(nodeName);
  const [node, old] = [request.object as Node | undefined, request.oldObject as Node | undefined];
  const name = request.attributes.name || node?.metadata.name || '';
  if (name !== nodeName) return `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`;
  if (request.operation === 'DELETE' || !node) return undefined;
  const labels = forbiddenLabels(node.metadata.labels ?? {}, old?.metadata.labels ?? {});
  if (request.operation === 'CREATE') {
    if (node.spec?.configSource) return `node ${quoted} is not allowed to create pods with a non-nil configSource`;
    return labels ? `node ${quoted} is not allowed to set the following labels: ${labels}` : undefined;
  }
  if (node.spec?.configSource && !deepEqual(node.spec.configSource, old?.spec?.configSource))
    return `node ${quoted} is not allowed to update configSource to a new non-nil configSource`;
  if (!deepEqual(node.spec?.taints ?? [], old?.spec?.taints ?? []))
    return `node ${quoted} is not allowed to modify taints`;
  if (labels) return `is not allowed to modify labels: ${labels}`;
  return deepEqual(node.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? [])
    ? undefined
    : `node ${quoted} is not allowed to modify ownerReferences`;
}

const kubeletLabels = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const kubeletNamespaces = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** What is asked of single slices, the node authorizer knows: not what a new one, or each of many deleted ones, says. */
function sliceRule(nodeName: string, { operation, object, oldObject }: AdmissionRequest): string | undefined {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
  const slice = (operation === 'CREATE' ? object : oldObject) as ResourceSlice | undefined;
  const verb = operation.toLowerCase();
  return slice?.spec.nodeName === nodeName
    ? undefined
    : `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

/** Labels that steer workloads onto nodes are not the kubelet's to set: sorted names, or ''. */
function forbiddenLabels(labels: Readonly<Record<string, string>>, old: Readonly<Record<string, string>>): string {
  const within = (namespace: string, suffix: string) => namespace === suffix || namespace.endsWith(`.${suffix}`);
  const changed = Object.keys({ ...labels, ...old }).filter((key) => labels[key] !== old[key]);
  const forbidden = changed.filter((key) => {
    const namespace = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
    if (within(namespace, 'node-restriction.kubernetes.io')) return true;
    if (!within(namespace, 'kubernetes.io') && !within(namespace, 'k8s.io')) return false;
    return !kubeletLabels.has(key) && !kubeletNamespaces.some((allowed) => within(namespace, allowed));
  });
  return forbidden.sort().join(', ');
}

function claimRule(nodeName: string, request: AdmissionRequest): string | undefined {
  if (request.attributes.subresource !== 'status') return 'may only update PVC status';
  const bare = (claim: PersistentVolumeClaim) => {
    const {
      capacity: _c,
      conditions: _n,
      allocatedResources: _r,
      allocatedResourceStatuses: _s,
      ...status
    } = {
      ...claim.status,
    };
    const { resourceVersion: _v, managedFields: _m, ...metadata } = claim.metadata;
    return { metadata, spec: claim.spec, status };
  };
  return deepEqual(bare(request.object as PersistentVolumeClaim), bare(request.oldObject as PersistentVolumeClaim))
    ? undefined
    : `node ${JSON.stringify(nodeName)} is not allowed to update fields other than status.capacity and status.conditions`;
}

type TokenRestriction = Pick<AdmissionRequest, 'attributes' | 'user' | 'object'>;

/** A kubelet gets tokens only for its own pods, bound to them. Throws StatusError. */
export function checkNodeToken(request: TokenRestriction, state: ClusterState): void {
  const identity = nodeOf(request.user);
  const why = identity && tokenRule(identity.name, request, state);
  if (why) throw StatusError.forbidden({ group: '', plural: 'serviceaccounts' }, request.attributes.name, why);
}

function tokenRule(nodeName: string, request: TokenRestriction, state: ClusterState): string | undefined {
  const reference = (request.object as unknown as TokenRequest).spec?.boundObjectRef;
  if (reference?.apiVersion !== 'v1' || reference.kind !== 'Pod' || !reference.name)
    return 'node requested token not bound to a pod';
  if (!reference.uid) return 'node requested token with a pod binding without a uid';
  const pod = state.get('', 'pods', reference.name, request.attributes.namespace) as Pod | undefined;
  if (!pod) throw StatusError.notFound({ group: '', plural: 'pods' }, reference.name);
  if (pod.metadata.uid !== reference.uid) return uidMismatch(reference.uid);
  return pod.spec.nodeName === nodeName
    ? undefined
    : 'node requested token bound to a pod scheduled on a different node';
}

const uidMismatch = (uid: string): string =>
  `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;

function leaseRule(nodeName: string, request: AdmissionRequest): string | undefined {
  if (request.attributes.namespace !== 'kube-node-lease')
    return 'can only access leases in the "kube-node-lease" system namespace';
  return ownName(nodeName, request)
    ? undefined
    : 'can only access node lease with the same name as the requesting node';
}

function csiNodeRule(nodeName: string, request: AdmissionRequest): string | undefined {
  return ownName(nodeName, request) ? undefined : 'can only access CSINode with the same name as the requesting node';
}

function ownName(nodeName: string, { operation, object, attributes }: AdmissionRequest): boolean {
  return (operation === 'CREATE' ? object?.metadata.name : attributes.name) === nodeName;
}
