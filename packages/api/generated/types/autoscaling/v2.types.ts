// Generated from the facts by packages/api/generate; never edited.
import type { Quantity, Time } from '../../../scalars.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ContainerResourceMetricSource {
  name: string;
  target: MetricTarget;
  container: string;
}

export interface ContainerResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
  container: string;
}

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
}

export interface ExternalMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

export interface ExternalMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

export interface HPAScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

export interface HPAScalingRules {
  stabilizationWindowSeconds?: number | undefined;
  selectPolicy?: string | undefined;
  policies?: HPAScalingPolicy[] | undefined;
  tolerance?: Quantity | undefined;
}

export interface HorizontalPodAutoscaler {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerBehavior {
  scaleUp?: HPAScalingRules | undefined;
  scaleDown?: HPAScalingRules | undefined;
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
  metrics?: MetricSpec[] | undefined;
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number | undefined;
  lastScaleTime?: Time | undefined;
  currentReplicas?: number | undefined;
  desiredReplicas: number;
  currentMetrics: MetricStatus[];
  conditions?: HorizontalPodAutoscalerCondition[] | undefined;
}

export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector | undefined;
}

export interface MetricSpec {
  type: string;
  object?: ObjectMetricSource | undefined;
  pods?: PodsMetricSource | undefined;
  resource?: ResourceMetricSource | undefined;
  containerResource?: ContainerResourceMetricSource | undefined;
  external?: ExternalMetricSource | undefined;
}

export interface MetricStatus {
  type: string;
  object?: ObjectMetricStatus | undefined;
  pods?: PodsMetricStatus | undefined;
  resource?: ResourceMetricStatus | undefined;
  containerResource?: ContainerResourceMetricStatus | undefined;
  external?: ExternalMetricStatus | undefined;
}

export interface MetricTarget {
  type: string;
  value?: Quantity | undefined;
  averageValue?: Quantity | undefined;
  averageUtilization?: number | undefined;
}

export interface MetricValueStatus {
  value?: Quantity | undefined;
  averageValue?: Quantity | undefined;
  averageUtilization?: number | undefined;
}

export interface ObjectMetricSource {
  describedObject: CrossVersionObjectReference;
  target: MetricTarget;
  metric: MetricIdentifier;
}

export interface ObjectMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

export interface PodsMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

export interface ResourceMetricSource {
  name: string;
  target: MetricTarget;
}

export interface ResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
}
