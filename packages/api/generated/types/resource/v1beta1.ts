// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1beta1.types.ts';
export type * from './v1beta1.types.ts';

export type DeviceClass = types.DeviceClass;
export const DeviceClass = kind<DeviceClass>({"group":"resource.k8s.io","version":"v1beta1","kind":"DeviceClass","plural":"deviceclasses","namespaced":false});
export type ResourceClaim = types.ResourceClaim;
export const ResourceClaim = kind<ResourceClaim>({"group":"resource.k8s.io","version":"v1beta1","kind":"ResourceClaim","plural":"resourceclaims","namespaced":true});
export type ResourceClaimTemplate = types.ResourceClaimTemplate;
export const ResourceClaimTemplate = kind<ResourceClaimTemplate>({"group":"resource.k8s.io","version":"v1beta1","kind":"ResourceClaimTemplate","plural":"resourceclaimtemplates","namespaced":true});
export type ResourceSlice = types.ResourceSlice;
export const ResourceSlice = kind<ResourceSlice>({"group":"resource.k8s.io","version":"v1beta1","kind":"ResourceSlice","plural":"resourceslices","namespaced":false});
