// Generated from the facts by packages/api/generate; never edited.
import type { Quantity, Time } from '../../../scalars.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface CELDeviceSelector {
  expression: string;
}

export interface DeviceSelector {
  cel?: CELDeviceSelector | undefined;
}

export interface DeviceTaint {
  key: string;
  value?: string | undefined;
  effect: "NoExecute" | "NoSchedule" | "None";
  timeAdded?: Time | undefined;
}

export interface DeviceTaintRule {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: DeviceTaintRuleSpec;
  status: DeviceTaintRuleStatus;
}

export interface DeviceTaintRuleList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: DeviceTaintRule[];
}

export interface DeviceTaintRuleSpec {
  deviceSelector?: DeviceTaintSelector | undefined;
  taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  conditions?: Condition[] | undefined;
}

export interface DeviceTaintSelector {
  driver?: string | undefined;
  pool?: string | undefined;
  device?: string | undefined;
}

export interface PartitionTypeStatus {
  attribute?: string | undefined;
  type?: string | undefined;
  total?: number | undefined;
  allocatable?: number | undefined;
}

export interface PoolStatus {
  driver?: string | undefined;
  poolName?: string | undefined;
  generation: number;
  resourceSliceCount?: number | undefined;
  totalDevices?: number | undefined;
  allocatedDevices?: number | undefined;
  availableDevices?: number | undefined;
  unavailableDevices?: number | undefined;
  nodeName?: string | undefined;
  validationError?: string | undefined;
  partitionSummary?: PartitionTypeStatus[] | undefined;
  shareableSummary?: ShareableSummaryStatus | undefined;
}

export interface ResourcePoolStatusRequest {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus | undefined;
}

export interface ResourcePoolStatusRequestList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ResourcePoolStatusRequest[];
}

export interface ResourcePoolStatusRequestSpec {
  driver: string;
  poolName?: string | undefined;
  limit?: number | undefined;
  defaultPartitionTypeAttribute?: string | undefined;
}

export interface ResourcePoolStatusRequestStatus {
  poolCount?: number | undefined;
  pools?: PoolStatus[] | undefined;
  conditions?: Condition[] | undefined;
}

export interface ShareableCapacityStatus {
  name?: string | undefined;
  total?: Quantity | undefined;
  consumed?: Quantity | undefined;
  available?: Quantity | undefined;
}

export interface ShareableSummaryStatus {
  fullyAvailableDevices?: number | undefined;
  partiallyAvailableDevices?: number | undefined;
  capacity?: ShareableCapacityStatus[] | undefined;
}
