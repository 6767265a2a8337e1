// Generated from the facts by packages/api/generate; never edited.
import type { IntOrString, Time } from '../../../scalars.ts';
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Eviction {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  deleteOptions?: DeleteOptions | undefined;
}

export interface PodDisruptionBudget {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: PodDisruptionBudgetSpec;
  status: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PodDisruptionBudget[];
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: IntOrString | undefined;
  selector?: LabelSelector | undefined;
  maxUnavailable?: IntOrString | undefined;
  unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget" | undefined;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number | undefined;
  disruptedPods?: { [key: string]: Time } | undefined;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: Condition[] | undefined;
}
