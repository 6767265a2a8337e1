import { registry } from '../define.ts';
import { storageVersionMigration } from './storage-version-migration.ts';

export const storagemigrationKinds = registry(storageVersionMigration);
