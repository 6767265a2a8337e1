// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha3.types.ts';
export type * from './v1alpha3.types.ts';

export type DeviceTaintRule = types.DeviceTaintRule;
export const DeviceTaintRule = kind<DeviceTaintRule>({"group":"resource.k8s.io","version":"v1alpha3","kind":"DeviceTaintRule","plural":"devicetaintrules","namespaced":false});
export type ResourcePoolStatusRequest = types.ResourcePoolStatusRequest;
export const ResourcePoolStatusRequest = kind<ResourcePoolStatusRequest>({"group":"resource.k8s.io","version":"v1alpha3","kind":"ResourcePoolStatusRequest","plural":"resourcepoolstatusrequests","namespaced":false});
