import { deepEqual, type Fields } from '@kubernode/machinery';
import type { ServedResource } from '../registry.ts';
import type { ApiObject } from '../storage/encoding.ts';

/**
 * What upstream's registry strategies (pkg/registry) say of single resources, and neither the facts nor a kind's rules
 * do: what a deletion answers, what an endpoint puts back, how an object is stored. By `group/plural`.
 */
const keyOf = ({ group, plural }: ServedResource) => `${group}/${plural}`;

/** DELETE answers with the object instead of a Status (ReturnDeletedObject). */
const returned: ReadonlySet<string> = new Set([
  '/namespaces',
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
  'resource.k8s.io/resourcepoolstatusrequests',
  'resource.k8s.io/resourceslices',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);

export const returnsDeleted = (resource: ServedResource): boolean => returned.has(keyOf(resource));

/** Tables without rows have no list of rows (DefaultTableConvertor). */
const rowless: ReadonlySet<string> = new Set([
  '/limitranges',
  'apiextensions.k8s.io/customresourcedefinitions',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/roles',
  'storage.k8s.io/csistoragecapacities',
]);

export const hasNoEmptyRows = (resource: ServedResource): boolean => rowless.has(keyOf(resource));

/** Kinds whose own list of field selectors leaves the namespace out (AddFieldLabelConversionFunc). */
const withoutNamespaceSelector: ReadonlySet<string> = new Set([
  '/namespaces',
  '/nodes',
  'certificates.k8s.io/certificatesigningrequests',
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'resource.k8s.io/resourceslices',
]);

export const selectsNamespace = (resource: ServedResource): boolean => !withoutNamespaceSelector.has(keyOf(resource));

/** Whose deletions look at preconditions by themselves, and name the resource, not the kind (their REST's Delete). */
const ownDeletion: ReadonlySet<string> = new Set(['/namespaces', 'apiextensions.k8s.io/customresourcedefinitions']);

export const deletesByItself = (resource: ServedResource): boolean => ownDeletion.has(keyOf(resource));

/** The group that errors about a kind name: an event is of the core group, whichever way it came. */
export const groupOfKind = ({ group }: ServedResource): string => (group === 'events.k8s.io' ? '' : group);

/** Nothing depends on events, so no deletion waits for dependents (rest.Unsupported). */
export const collectsGarbage = ({ plural, group }: ServedResource): boolean =>
  plural !== 'events' || (group !== '' && group !== 'events.k8s.io');

/** The newest storage class that says it is the default, then the first by name: lists show it as that. */
export function defaultOf(resource: ServedResource, objects: Iterable<ApiObject>): string | undefined {
  if (keyOf(resource) !== 'storage.k8s.io/storageclasses') return undefined;
  const rank = ({ metadata }: ApiObject) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const candidates = [...objects].filter(({ metadata }) =>
    defaultClassAnnotations.some((annotation) => metadata.annotations?.[annotation] === 'true'),
  );
  const best = candidates.toSorted((a, b) => rank(b) - rank(a) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return best[0]?.metadata.name;
}

const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Whose status has no columns (its REST is no TableConvertor): other accepted forms of it are answered. */
const statusWithoutTable: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
]);

export const hasStatusTable = (resource: ServedResource): boolean => !statusWithoutTable.has(keyOf(resource));

export type MetadataField = 'annotations' | 'finalizers' | 'labels' | 'ownerReferences';

/** All that a client says in metadata (ResetObjectMetaForStatus). */
export const clientMetadata: readonly MetadataField[] = ['annotations', 'finalizers', 'labels', 'ownerReferences'];

/** What of metadata a change of the status puts back. */
const keptByStatus: ReadonlyMap<string, readonly MetadataField[]> = new Map<string, readonly MetadataField[]>([
  ['apps/deployments', ['labels']],
  ['/pods', ['ownerReferences']],
  ...[
    'admissionregistration.k8s.io/validatingadmissionpolicies',
    'apiregistration.k8s.io/apiservices',
    'certificates.k8s.io/podcertificaterequests',
    'flowcontrol.apiserver.k8s.io/flowschemas',
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
    'internal.apiserver.k8s.io/storageversions',
    'lifecycle.k8s.io/evictionrequests',
    'networking.k8s.io/servicecidrs',
    'resource.k8s.io/devicetaintrules',
    'resource.k8s.io/resourceclaims',
    'resource.k8s.io/resourcepoolstatusrequests',
    'scheduling.k8s.io/compositepodgroups',
    'scheduling.k8s.io/podgroups',
    'storage.k8s.io/csinodes',
    'storage.k8s.io/volumeattachments',
    'storagemigration.k8s.io/storageversionmigrations',
  ].map((key) => [key, clientMetadata] as const),
]);

export const metadataKeptByStatus = (resource: ServedResource): readonly MetadataField[] =>
  keptByStatus.get(keyOf(resource)) ?? [];

const whole = {};
const status: Fields = { 'f:status': whole };
const spec: Fields = { 'f:spec': whole };
const certificateRequests = 'certificates.k8s.io/certificatesigningrequests';

/** What an endpoint puts back, and so nobody comes to own there (GetResetFields). */
export function resetFieldsOf(resource: ServedResource, subresource: string): Fields | undefined {
  if (keyOf(resource) === certificateRequests) return ofCertificateRequests(subresource);
  switch (subresource) {
    case 'status':
      return { ...spec, ...ofMetadata(resource) };
    case 'finalize':
      return status;
    case '':
      return resource.hasStatus ? status : undefined;
    default:
      return undefined;
  }
}

function ofMetadata(resource: ServedResource): Fields {
  if (resource.custom) return { 'f:metadata': whole };
  const kept = metadataKeptByStatus(resource);
  if (kept.length === 0) return {};
  return {
    'f:metadata': kept === clientMetadata ? whole : Object.fromEntries(kept.map((name) => [`f:${name}`, whole])),
  };
}

/** What they ask for is said once, at creation, and is the server's from then on. */
function ofCertificateRequests(subresource: string): Fields {
  if (subresource === 'status') return { ...spec, 'f:status': { 'f:conditions': whole } };
  if (subresource === 'approval') return { ...spec, 'f:status': { 'f:certificate': whole } };
  return { ...spec, ...status };
}

/**
 * Whether an object was created with less than what reading it shows, because defaults are filled in again when it is
 * read: its first change is written even if it changes nothing else.
 */
export function isFilledWhenRead(resource: ServedResource, { metadata, spec: wanted }: ApiObject): boolean {
  switch (keyOf(resource)) {
    case '/persistentvolumeclaims':
      return true;
    case 'batch/jobs': {
      const { template } = wanted as { template?: { metadata?: { labels?: Record<string, string> } } };
      const labels = Object.keys(metadata.labels ?? {});
      return (
        labels.every((label) => generatedJobLabels.has(label)) && deepEqual(metadata.labels, template?.metadata?.labels)
      );
    }
    default:
      return false;
  }
}

const generatedJobLabels: ReadonlySet<string> = new Set([
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
]);
