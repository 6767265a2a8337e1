// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ServerStorageVersion {
  apiServerID?: string | undefined;
  encodingVersion?: string | undefined;
  decodableVersions?: string[] | undefined;
  servedVersions?: string[] | undefined;
}

export interface StorageVersion {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: StorageVersionSpec;
  status: StorageVersionStatus;
}

export interface StorageVersionCondition {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  lastTransitionTime?: Time | undefined;
  reason: string;
  message?: string | undefined;
}

export interface StorageVersionList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: StorageVersion[];
}

export interface StorageVersionSpec {
}

export interface StorageVersionStatus {
  storageVersions?: ServerStorageVersion[] | undefined;
  commonEncodingVersion?: string | undefined;
  conditions?: StorageVersionCondition[] | undefined;
}
