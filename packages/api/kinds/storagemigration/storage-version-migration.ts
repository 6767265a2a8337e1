import { StorageVersionMigration } from '../../generated/types/storagemigration/v1.ts';
import { StorageVersionMigration as StorageVersionMigrationv1beta1 } from '../../generated/types/storagemigration/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const storageVersionMigration = defineVersions([StorageVersionMigration, StorageVersionMigrationv1beta1], {
  row: ({ metadata, spec, status }) => [
    metadata.name,
    spec.resource.group ? `${spec.resource.resource}.${spec.resource.group}` : spec.resource.resource,
    ['Succeeded', 'Failed', 'Running'].find((type) =>
      status.conditions?.some((condition) => condition.type === type && condition.status === 'True'),
    ) ?? '',
  ],
});
