// Generated from the facts by packages/api/generate; never edited.
import type { Quantity, Time } from '../../../scalars.ts';
import type { NodeSelector } from '../core/v1.types.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string | undefined;
  conditions: Condition[];
  data?: unknown | undefined;
  networkData?: NetworkDeviceData | undefined;
}

export interface AllocationResult {
  devices: DeviceAllocationResult;
  nodeSelector?: NodeSelector | undefined;
  allocationTimestamp?: Time | undefined;
}

export interface BasicDevice {
  attributes?: { [key: string]: DeviceAttribute } | undefined;
  capacity?: { [key: string]: DeviceCapacity } | undefined;
  consumesCounters?: DeviceCounterConsumption[] | undefined;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  allNodes?: boolean | undefined;
  taints?: DeviceTaint[] | undefined;
  bindsToNode?: boolean | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  allowMultipleAllocations?: boolean | undefined;
  nodeAllocatableResources?: { [key: string]: NodeAllocatableResource } | undefined;
}

export interface CELDeviceSelector {
  expression: string;
}

export interface CapacityRequestPolicy {
  default?: Quantity | undefined;
  validValues?: Quantity[] | undefined;
  validRange?: CapacityRequestPolicyRange | undefined;
}

export interface CapacityRequestPolicyRange {
  min?: Quantity | undefined;
  max?: Quantity | undefined;
  step?: Quantity | undefined;
}

export interface CapacityRequirements {
  requests?: { [key: string]: Quantity } | undefined;
}

export interface Counter {
  value: Quantity;
}

export interface CounterSet {
  name: string;
  counters?: { [key: string]: Counter } | undefined;
}

export interface Device {
  name: string;
  basic?: BasicDevice | undefined;
}

export interface DeviceAllocationConfiguration {
  source: "FromClaim" | "FromClass";
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceAllocationResult {
  results?: DeviceRequestAllocationResult[] | undefined;
  config?: DeviceAllocationConfiguration[] | undefined;
}

export interface DeviceAttribute {
  int?: number | undefined;
  bool?: boolean | undefined;
  string?: string | undefined;
  version?: string | undefined;
  ints?: number[] | undefined;
  bools?: boolean[] | undefined;
  strings?: string[] | undefined;
  versions?: string[] | undefined;
}

export interface DeviceCapacity {
  value: Quantity;
  requestPolicy?: CapacityRequestPolicy | undefined;
}

export interface DeviceClaim {
  requests: DeviceRequest[];
  constraints?: DeviceConstraint[] | undefined;
  config?: DeviceClaimConfiguration[] | undefined;
}

export interface DeviceClaimConfiguration {
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: DeviceClass[];
}

export interface DeviceClassSpec {
  selectors?: DeviceSelector[] | undefined;
  config?: DeviceClassConfiguration[] | undefined;
  extendedResourceName?: string | undefined;
}

export interface DeviceConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceConstraint {
  requests?: string[] | undefined;
  matchAttribute?: string | undefined;
  distinctAttribute?: string | undefined;
}

export interface DeviceCounterConsumption {
  counterSet: string;
  counters?: { [key: string]: Counter } | undefined;
  compatibilityGroups?: string[] | undefined;
}

export interface DeviceDerivedAttribute {
  name: string;
  expression: string;
}

export interface DeviceRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  allocationMode?: "All" | "ExactCount" | undefined;
  count?: number | undefined;
  adminAccess?: boolean | undefined;
  firstAvailable?: DeviceSubRequest[] | undefined;
  tolerations?: DeviceToleration[] | undefined;
  capacity?: CapacityRequirements | undefined;
  derivedAttributes?: DeviceDerivedAttribute[] | undefined;
}

export interface DeviceRequestAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean | undefined;
  tolerations?: DeviceToleration[] | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  shareID?: string | undefined;
  consumedCapacity?: { [key: string]: Quantity } | undefined;
  skipNodeOperations?: ("*" | "NodePrepareResources" | "NodeUnprepareResources")[] | undefined;
}

export interface DeviceSelector {
  cel?: CELDeviceSelector | undefined;
}

export interface DeviceSubRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  allocationMode?: "All" | "ExactCount" | undefined;
  count?: number | undefined;
  tolerations?: DeviceToleration[] | undefined;
  capacity?: CapacityRequirements | undefined;
  derivedAttributes?: DeviceDerivedAttribute[] | undefined;
}

export interface DeviceTaint {
  key: string;
  value?: string | undefined;
  effect: "NoExecute" | "NoSchedule" | "None";
  timeAdded?: Time | undefined;
}

export interface DeviceToleration {
  key?: string | undefined;
  operator?: "Equal" | "Exists" | undefined;
  value?: string | undefined;
  effect?: "NoExecute" | "NoSchedule" | "None" | undefined;
  tolerationSeconds?: number | undefined;
}

export interface NetworkDeviceData {
  interfaceName?: string | undefined;
  ips?: string[] | undefined;
  hardwareAddress?: string | undefined;
}

export interface NodeAllocatableMapping {
  capacityKey?: string | undefined;
  capacityMultiplier?: Quantity | undefined;
  deviceMultiplier?: Quantity | undefined;
}

export interface NodeAllocatableOverhead {
  perPod?: Quantity | undefined;
  perContainer?: Quantity | undefined;
}

export interface NodeAllocatableResource {
  mapping?: NodeAllocatableMapping | undefined;
  overhead?: NodeAllocatableOverhead | undefined;
}

export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: unknown;
}

export interface ResourceClaim {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ResourceClaimSpec;
  status: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string | undefined;
  resource: string;
  name: string;
  uid: string;
}

export interface ResourceClaimList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ResourceClaim[];
}

export interface ResourceClaimSpec {
  devices: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult | undefined;
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
  devices?: AllocatedDeviceStatus[] | undefined;
}

export interface ResourceClaimTemplate {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ResourceClaimTemplate[];
}

export interface ResourceClaimTemplateSpec {
  metadata: ObjectMeta;
  spec: ResourceClaimSpec;
}

export interface ResourcePool {
  name: string;
  generation: number;
  resourceSliceCount: number;
}

export interface ResourceSlice {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ResourceSliceSpec;
}

export interface ResourceSliceList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ResourceSlice[];
}

export interface ResourceSliceSpec {
  driver: string;
  pool: ResourcePool;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  allNodes?: boolean | undefined;
  devices?: Device[] | undefined;
  perDeviceNodeSelection?: boolean | undefined;
  sharedCounters?: CounterSet[] | undefined;
  partitionTypeAttribute?: string | undefined;
  skipNodeOperations?: ("*" | "NodePrepareResources" | "NodeUnprepareResources")[] | undefined;
}
