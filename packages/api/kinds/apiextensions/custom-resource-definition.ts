import { CustomResourceDefinition } from '../../generated/types/apiextensions/v1.ts';
import { customResourceRules } from '../../rules/custom-resource-definition.ts';
import { validate } from '../../rules/rule.ts';
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

export const customResourceDefinition = define(CustomResourceDefinition, {
  defaults({ spec }) {
    spec.names.singular ||= spec.names.kind.toLowerCase();
    spec.names.listKind ||= spec.names.kind ? `${spec.names.kind}List` : '';
    spec.conversion ??= { strategy: 'None' };
    if (spec.conversion.webhook?.clientConfig?.service) spec.conversion.webhook.clientConfig.service.port ??= 443;
  },
  prepareForCreate: keepStorageVersion,
  prepareForUpdate: keepStorageVersion,
  validate: validate<CustomResourceDefinition>(customResourceRules),
  markForDeletion,
  unconditionalUpdate: false,
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.scope,
    spec.versions.map(({ name }) => name).join(','),
    metadata.creationTimestamp,
    spec.group,
    spec.names.kind,
    (spec.names.shortNames ?? []).join(','),
    status.conditions?.find(({ type }) => type === 'Established')?.status ?? 'Unknown',
  ],
});

/** Objects may be stored in every version that ever was the storage version, until somebody says otherwise. */
function keepStorageVersion(object: CustomResourceDefinition): void {
  const known = object.status.storedVersions ?? [];
  const storage = object.spec.versions.find((version) => version.storage)?.name;
  if (!storage || known.includes(storage)) return;
  object.status = { ...object.status, storedVersions: [...known, storage] };
}
