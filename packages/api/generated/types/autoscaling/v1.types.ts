// Generated from the facts by packages/api/generate; never edited.
import type { Quantity, Time } from '../../../scalars.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ContainerResourceMetricSource {
  name: string;
  targetAverageUtilization?: number | undefined;
  targetAverageValue?: Quantity | undefined;
  container: string;
}

export interface ContainerResourceMetricStatus {
  name: string;
  currentAverageUtilization?: number | undefined;
  currentAverageValue: Quantity;
  container: string;
}

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
}

export interface ExternalMetricSource {
  metricName: string;
  metricSelector?: LabelSelector | undefined;
  targetValue?: Quantity | undefined;
  targetAverageValue?: Quantity | undefined;
}

export interface ExternalMetricStatus {
  metricName: string;
  metricSelector?: LabelSelector | undefined;
  currentValue: Quantity;
  currentAverageValue?: Quantity | undefined;
}

export interface HorizontalPodAutoscaler {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  observedGeneration?: number | undefined;
}

export interface HorizontalPodAutoscalerList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: HorizontalPodAutoscaler[];
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number | undefined;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number | undefined;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number | undefined;
  lastScaleTime?: Time | undefined;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number | undefined;
}

export interface MetricSpec {
  type: "ContainerResource" | "External" | "Object" | "Pods" | "Resource";
  object?: ObjectMetricSource | undefined;
  pods?: PodsMetricSource | undefined;
  resource?: ResourceMetricSource | undefined;
  containerResource?: ContainerResourceMetricSource | undefined;
  external?: ExternalMetricSource | undefined;
}

export interface MetricStatus {
  type: "ContainerResource" | "External" | "Object" | "Pods" | "Resource";
  object?: ObjectMetricStatus | undefined;
  pods?: PodsMetricStatus | undefined;
  resource?: ResourceMetricStatus | undefined;
  containerResource?: ContainerResourceMetricStatus | undefined;
  external?: ExternalMetricStatus | undefined;
}

export interface ObjectMetricSource {
  target: CrossVersionObjectReference;
  metricName: string;
  targetValue: Quantity;
  selector?: LabelSelector | undefined;
  averageValue?: Quantity | undefined;
}

export interface ObjectMetricStatus {
  target: CrossVersionObjectReference;
  metricName: string;
  currentValue: Quantity;
  selector?: LabelSelector | undefined;
  averageValue?: Quantity | undefined;
}

export interface PodsMetricSource {
  metricName: string;
  targetAverageValue: Quantity;
  selector?: LabelSelector | undefined;
}

export interface PodsMetricStatus {
  metricName: string;
  currentAverageValue: Quantity;
  selector?: LabelSelector | undefined;
}

export interface ResourceMetricSource {
  name: string;
  targetAverageUtilization?: number | undefined;
  targetAverageValue?: Quantity | undefined;
}

export interface ResourceMetricStatus {
  name: string;
  currentAverageUtilization?: number | undefined;
  currentAverageValue: Quantity;
}

export interface Scale {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ScaleSpec;
  status: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number | undefined;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string | undefined;
}
