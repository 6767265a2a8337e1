import { CustomResourceDefinition } from '../../generated/types/apiextensions/v1.ts';
import { define } from '../define.ts';

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** Its instances go first. */
function markForDeletion({ metadata, status }: CustomResourceDefinition, nowTime: string): void {
  metadata.deletionTimestamp = nowTime;
  if (!metadata.finalizers?.includes(cleanup)) metadata.finalizers = [...(metadata.finalizers ?? []), cleanup];
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: nowTime,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  status.conditions = [...others, terminating];
}

/** What is wrong with a definition is said where its schemas are read: by the API server. */
export const customResourceDefinition = define(CustomResourceDefinition, {
  defaults(crd) {
    const { spec } = crd;
    spec.names.singular ||= spec.names.kind.toLowerCase();
    spec.names.listKind ||= spec.names.kind ? `${spec.names.kind}List` : '';
    spec.conversion ??= { strategy: 'None' };
    const { webhook } = spec.conversion;
    if (webhook?.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
    if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length) delete spec.conversion.webhook;
    if (!crd.status?.storedVersions?.length) keepStorageVersion(crd);
  },
  prepareForCreate: keepStorageVersion,
  prepareForUpdate: keepStorageVersion,
  markForDeletion,
  unconditionalUpdate: false,
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.scope,
    spec.versions
      .filter(({ served }) => served)
      .map(({ name, storage }) => (storage ? `${name}(storage)` : name))
      .sort()
      .join(','),
    metadata.creationTimestamp,
    spec.group,
    spec.names.kind,
    (spec.names.shortNames ?? []).join(','),
    status.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false,
  ],
});

/** Objects may be stored in every version that ever was the storage version, until somebody says otherwise. */
function keepStorageVersion(object: CustomResourceDefinition): void {
  const known = object.status?.storedVersions ?? [];
  const storage = object.spec.versions?.find((version) => version.storage);
  if (!storage || known.includes(storage.name)) return;
  object.status = { ...object.status, storedVersions: [...known, storage.name] };
}
