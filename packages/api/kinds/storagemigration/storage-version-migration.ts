import { StorageVersionMigration } from '../../generated/types/storagemigration/v1.ts';
import { StorageVersionMigration as StorageVersionMigrationv1beta1 } from '../../generated/types/storagemigration/v1beta1.ts';
import { defineVersions } from '../define.ts';

export const storageVersionMigration = defineVersions([StorageVersionMigration, StorageVersionMigrationv1beta1]);
