// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type CSIDriver = types.CSIDriver;
export const CSIDriver = kind<CSIDriver>({"group":"storage.k8s.io","version":"v1","kind":"CSIDriver","plural":"csidrivers","namespaced":false});
export type CSINode = types.CSINode;
export const CSINode = kind<CSINode>({"group":"storage.k8s.io","version":"v1","kind":"CSINode","plural":"csinodes","namespaced":false});
export type CSIStorageCapacity = types.CSIStorageCapacity;
export const CSIStorageCapacity = kind<CSIStorageCapacity>({"group":"storage.k8s.io","version":"v1","kind":"CSIStorageCapacity","plural":"csistoragecapacities","namespaced":true});
export type StorageClass = types.StorageClass;
export const StorageClass = kind<StorageClass>({"group":"storage.k8s.io","version":"v1","kind":"StorageClass","plural":"storageclasses","namespaced":false});
export type VolumeAttachment = types.VolumeAttachment;
export const VolumeAttachment = kind<VolumeAttachment>({"group":"storage.k8s.io","version":"v1","kind":"VolumeAttachment","plural":"volumeattachments","namespaced":false});
export type VolumeAttributesClass = types.VolumeAttributesClass;
export const VolumeAttributesClass = kind<VolumeAttributesClass>({"group":"storage.k8s.io","version":"v1","kind":"VolumeAttributesClass","plural":"volumeattributesclasses","namespaced":false});
