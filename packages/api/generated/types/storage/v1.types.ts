// Generated from the facts by packages/api/generate; never edited.
import type { Quantity, Time } from '../../../scalars.ts';
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface CSIDriver {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CSIDriver[];
}

export interface CSIDriverSpec {
  attachRequired?: boolean | undefined;
  podInfoOnMount?: boolean | undefined;
  volumeLifecycleModes?: string[] | undefined;
  storageCapacity?: boolean | undefined;
  fsGroupPolicy?: string | undefined;
  tokenRequests?: TokenRequest[] | undefined;
  requiresRepublish?: boolean | undefined;
  seLinuxMount?: boolean | undefined;
  nodeAllocatableUpdatePeriodSeconds?: number | undefined;
  serviceAccountTokenInSecrets?: boolean | undefined;
  preventPodSchedulingIfMissing?: boolean | undefined;
}

export interface CSINode {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CSINodeSpec;
  status: CSINodeStatus;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys: string[];
  allocatable?: VolumeNodeResources | undefined;
}

export interface CSINodeList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CSINode[];
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSINodeStatus {
  storageHealth?: StorageHealth[] | undefined;
}

export interface CSIStorageCapacity {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  nodeTopology?: LabelSelector | undefined;
  storageClassName: string;
  capacity?: Quantity | undefined;
  maximumVolumeSize?: Quantity | undefined;
}

export interface CSIStorageCapacityList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CSIStorageCapacity[];
}

export interface StorageClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  provisioner: string;
  parameters?: { [key: string]: string } | undefined;
  reclaimPolicy?: "Delete" | "Recycle" | "Retain" | undefined;
  mountOptions?: string[] | undefined;
  allowVolumeExpansion?: boolean | undefined;
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer" | undefined;
  allowedTopologies?: TopologySelectorTerm[] | undefined;
}

export interface StorageClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: StorageClass[];
}

export interface StorageHealth {
  name: string;
  healthConditions?: StorageHealthCondition[] | undefined;
}

export interface StorageHealthCondition {
  status: "StorageDegraded" | "StorageUnreachable";
  reason: string;
  message?: string | undefined;
  accessMode?: "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod" | undefined;
  volumeMode?: "Block" | "Filesystem" | undefined;
  lastTransitionTime?: Time | undefined;
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number | undefined;
}

export interface VolumeAttachment {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: VolumeAttachmentSpec;
  status: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string | undefined;
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: { [key: string]: string } | undefined;
  attachError?: VolumeError | undefined;
  detachError?: VolumeError | undefined;
}

export interface VolumeAttributesClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  driverName: string;
  parameters?: { [key: string]: string } | undefined;
}

export interface VolumeAttributesClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: VolumeAttributesClass[];
}

export interface VolumeError {
  time?: Time | undefined;
  message?: string | undefined;
  errorCode?: number | undefined;
}

export interface VolumeNodeResources {
  count?: number | undefined;
}
