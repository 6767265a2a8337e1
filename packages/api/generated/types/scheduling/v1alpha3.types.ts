// Generated from the facts by packages/api/generate; never edited.
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface AllCompositeDisruptionMode {
}

export interface AllDisruptionMode {
}

export interface BasicSchedulingPolicy {
}

export interface CompositeBasicSchedulingPolicy {
}

export interface CompositeDisruptionMode {
  single?: SingleCompositeDisruptionMode | undefined;
  all?: AllCompositeDisruptionMode | undefined;
}

export interface CompositeGangSchedulingPolicy {
  minGroupCount: number;
}

export interface CompositePodGroup {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CompositePodGroupSpec;
  status: CompositePodGroupStatus;
}

export interface CompositePodGroupList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CompositePodGroup[];
}

export interface CompositePodGroupSchedulingConstraints {
  topology?: TopologyConstraint[] | undefined;
}

export interface CompositePodGroupSchedulingPolicy {
  basic?: CompositeBasicSchedulingPolicy | undefined;
  gang?: CompositeGangSchedulingPolicy | undefined;
}

export interface CompositePodGroupSpec {
  parentCompositePodGroupName?: string | undefined;
  workloadRef?: WorkloadReference | undefined;
  schedulingPolicy: CompositePodGroupSchedulingPolicy;
  schedulingConstraints?: CompositePodGroupSchedulingConstraints | undefined;
  disruptionMode?: CompositeDisruptionMode | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
}

export interface CompositePodGroupStatus {
  conditions?: Condition[] | undefined;
}

export interface CompositePodGroupTemplate {
  name: string;
  schedulingPolicy: CompositePodGroupSchedulingPolicy;
  schedulingConstraints?: CompositePodGroupSchedulingConstraints | undefined;
  disruptionMode?: CompositeDisruptionMode | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
  podGroupTemplates?: PodGroupTemplate[] | undefined;
  compositePodGroupTemplates?: CompositePodGroupTemplate[] | undefined;
}

export interface DisruptionMode {
  single?: SingleDisruptionMode | undefined;
  all?: AllDisruptionMode | undefined;
}

export interface GangSchedulingPolicy {
  minCount: number;
}

export interface PodGroup {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PodGroupSpec;
  status: PodGroupStatus;
}

export interface PodGroupList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PodGroup[];
}

export interface PodGroupResourceClaim {
  name: string;
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
}

export interface PodGroupResourceClaimStatus {
  name: string;
  resourceClaimName?: string | undefined;
}

export interface PodGroupSchedulingConstraints {
  topology?: TopologyConstraint[] | undefined;
}

export interface PodGroupSchedulingPolicy {
  basic?: BasicSchedulingPolicy | undefined;
  gang?: GangSchedulingPolicy | undefined;
}

export interface PodGroupSpec {
  parentCompositePodGroupName?: string | undefined;
  workloadRef?: WorkloadReference | undefined;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints | undefined;
  resourceClaims?: PodGroupResourceClaim[] | undefined;
  disruptionMode?: DisruptionMode | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
}

export interface PodGroupStatus {
  conditions?: Condition[] | undefined;
  resourceClaimStatuses?: PodGroupResourceClaimStatus[] | undefined;
}

export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints | undefined;
  resourceClaims?: PodGroupResourceClaim[] | undefined;
  disruptionMode?: DisruptionMode | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
}

export interface SingleCompositeDisruptionMode {
}

export interface SingleDisruptionMode {
}

export interface TopologyConstraint {
  key: string;
}

export interface TypedLocalObjectReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
}

export interface Workload {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: WorkloadSpec;
}

export interface WorkloadCompositePodGroupAllDisruptionMode {
}

export interface WorkloadCompositePodGroupBasicSchedulingPolicy {
}

export interface WorkloadCompositePodGroupDisruptionMode {
  single?: WorkloadCompositePodGroupSingleDisruptionMode | undefined;
  all?: WorkloadCompositePodGroupAllDisruptionMode | undefined;
}

export interface WorkloadCompositePodGroupGangSchedulingPolicy {
  minGroupCount?: number | undefined;
}

export interface WorkloadCompositePodGroupSchedulingConstraints {
  topology?: TopologyConstraint[] | undefined;
}

export interface WorkloadCompositePodGroupSchedulingPolicy {
  basic?: WorkloadCompositePodGroupBasicSchedulingPolicy | undefined;
  gang?: WorkloadCompositePodGroupGangSchedulingPolicy | undefined;
}

export interface WorkloadCompositePodGroupSingleDisruptionMode {
}

export interface WorkloadList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Workload[];
}

export interface WorkloadPodGroupAllDisruptionMode {
}

export interface WorkloadPodGroupBasicSchedulingPolicy {
}

export interface WorkloadPodGroupDisruptionMode {
  single?: WorkloadPodGroupSingleDisruptionMode | undefined;
  all?: WorkloadPodGroupAllDisruptionMode | undefined;
}

export interface WorkloadPodGroupGangSchedulingPolicy {
  minCount?: number | undefined;
}

export interface WorkloadPodGroupResourceClaim {
  name: string;
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
}

export interface WorkloadPodGroupSchedulingConstraints {
  topology?: TopologyConstraint[] | undefined;
}

export interface WorkloadPodGroupSchedulingPolicy {
  basic?: WorkloadPodGroupBasicSchedulingPolicy | undefined;
  gang?: WorkloadPodGroupGangSchedulingPolicy | undefined;
}

export interface WorkloadPodGroupSingleDisruptionMode {
}

export interface WorkloadReference {
  workloadName: string;
  templateName: string;
}

export interface WorkloadSpec {
  controllerRef?: TypedLocalObjectReference | undefined;
  podGroupTemplates: PodGroupTemplate[];
  compositePodGroupTemplates?: CompositePodGroupTemplate[] | undefined;
}
