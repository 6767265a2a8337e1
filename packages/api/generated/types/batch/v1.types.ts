// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { ObjectReference, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';
import type { WorkloadPodGroupDisruptionMode, WorkloadPodGroupResourceClaim, WorkloadPodGroupSchedulingConstraints, WorkloadPodGroupSchedulingPolicy } from '../scheduling/v1alpha3.types.ts';

export interface CronJob {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: CronJobSpec;
  status: CronJobStatus;
}

export interface CronJobList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: CronJob[];
}

export interface CronJobSpec {
  schedule: string;
  timeZone?: string | undefined;
  startingDeadlineSeconds?: number | undefined;
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace" | undefined;
  suspend?: boolean | undefined;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number | undefined;
  failedJobsHistoryLimit?: number | undefined;
}

export interface CronJobStatus {
  active?: ObjectReference[] | undefined;
  lastScheduleTime?: Time | undefined;
  lastSuccessfulTime?: Time | undefined;
}

export interface Job {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: JobSpec;
  status: JobStatus;
}

export interface JobCondition {
  type: string;
  status: string;
  lastProbeTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface JobList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Job[];
}

export interface JobSchedulingConfiguration {
  schedulingPolicy?: WorkloadPodGroupSchedulingPolicy | undefined;
  schedulingConstraints?: WorkloadPodGroupSchedulingConstraints | undefined;
  disruptionMode?: WorkloadPodGroupDisruptionMode | undefined;
  resourceClaims?: WorkloadPodGroupResourceClaim[] | undefined;
}

export interface JobSpec {
  parallelism?: number | undefined;
  completions?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  podFailurePolicy?: PodFailurePolicy | undefined;
  successPolicy?: SuccessPolicy | undefined;
  backoffLimit?: number | undefined;
  backoffLimitPerIndex?: number | undefined;
  maxFailedIndexes?: number | undefined;
  selector?: LabelSelector | undefined;
  manualSelector?: boolean | undefined;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number | undefined;
  completionMode?: "Indexed" | "NonIndexed" | undefined;
  suspend?: boolean | undefined;
  podReplacementPolicy?: "Failed" | "TerminatingOrFailed" | undefined;
  managedBy?: string | undefined;
  scheduling?: JobSchedulingConfiguration | undefined;
}

export interface JobStatus {
  conditions?: JobCondition[] | undefined;
  startTime?: Time | undefined;
  completionTime?: Time | undefined;
  active?: number | undefined;
  succeeded?: number | undefined;
  failed?: number | undefined;
  terminating?: number | undefined;
  completedIndexes?: string | undefined;
  failedIndexes?: string | undefined;
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
  ready?: number | undefined;
}

export interface JobTemplateSpec {
  metadata: ObjectMeta;
  spec: JobSpec;
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string | undefined;
  operator: "In" | "NotIn";
  values: number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  type: string;
  status: string;
}

export interface PodFailurePolicyRule {
  action: "Count" | "FailIndex" | "FailJob" | "Ignore";
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
}

export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  succeededIndexes?: string | undefined;
  succeededCount?: number | undefined;
}

export interface UncountedTerminatedPods {
  succeeded?: string[] | undefined;
  failed?: string[] | undefined;
}
