// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1beta1.types.ts';
export type * from './v1beta1.types.ts';

export type StorageVersionMigration = types.StorageVersionMigration;
export const StorageVersionMigration = kind<StorageVersionMigration>({"group":"storagemigration.k8s.io","version":"v1beta1","kind":"StorageVersionMigration","plural":"storageversionmigrations","namespaced":false});
