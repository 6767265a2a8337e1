import type { KubernetesObject } from '@kubernode/api';
import type { AdmissionRequest, ClusterState } from '../../seams.ts';
import { StatusError } from '@kubernode/api';
import type { ReviewedVersion } from '../matching/reviewed-request.ts';
import { requestFields } from '../matching/request-fields.ts';
import type { Views } from '../matching/views.ts';

/** The variables that expressions of admission have of a request, without `params` and `authorizer`. */
export function requestBindings(
  request: AdmissionRequest,
  version: ReviewedVersion,
  views: Views,
): Readonly<Record<string, unknown>> {
  return {
    object: views.object(version)?.value ?? null,
    oldObject: views.oldObject(version)?.value ?? null,
    request: requestFields(request, version),
    namespaceObject: null,
    params: null,
  };
}

/** The fields of metadata that `namespaceObject` has (apiserver, CreateNamespaceObject). */
const namespaceMetadata = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const;

/** `namespaceObject`: null for cluster-scoped objects and namespaces. Throws NotFound. */
export function namespaceOf(state: ClusterState, { attributes, review }: AdmissionRequest): object | null {
  const namespace = review?.namespace ?? attributes.namespace;
  if (namespace === '' || (attributes.group === '' && attributes.resource === 'namespaces')) return null;
  const found = state.get('', 'namespaces', namespace) as (KubernetesObject & Record<string, unknown>) | undefined;
  if (!found) throw StatusError.notFound({ group: '', plural: 'namespaces' }, namespace);
  const metadata: Record<string, unknown> = {};
  for (const field of namespaceMetadata) {
    if (found.metadata[field] !== undefined) metadata[field] = found.metadata[field];
  }
  return { metadata, spec: found['spec'] ?? {}, status: found['status'] ?? {} };
}
