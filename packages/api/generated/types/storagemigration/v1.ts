// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type { Condition, GroupResource, ListMeta, ObjectMeta } from '../meta/v1.ts';

export interface StorageVersionMigration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: StorageVersionMigrationSpec;
  status: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: StorageVersionMigration[];
}

export interface StorageVersionMigrationSpec {
  resource: GroupResource;
}

export interface StorageVersionMigrationStatus {
  conditions?: Condition[] | undefined;
  resourceVersion?: string | undefined;
}

export const StorageVersionMigration = kind<StorageVersionMigration>({"group":"storagemigration.k8s.io","version":"v1","kind":"StorageVersionMigration","plural":"storageversionmigrations","namespaced":false});
