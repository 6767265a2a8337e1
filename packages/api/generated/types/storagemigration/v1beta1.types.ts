// Generated from the facts by packages/api/generate; never edited.
import type { Condition, GroupResource, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
