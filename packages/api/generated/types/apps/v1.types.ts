// Generated from the facts by packages/api/generate; never edited.
import type { IntOrString, Time } from '../../../scalars.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ControllerRevision {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  data: unknown;
  revision: number;
}

export interface ControllerRevisionList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ControllerRevision[];
}

export interface DaemonSet {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: DaemonSetSpec;
  status: DaemonSetStatus;
}

export interface DaemonSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface DaemonSetList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: DaemonSet[];
}

export interface DaemonSetSpec {
  selector?: LabelSelector | undefined;
  template: PodTemplateSpec;
  updateStrategy: DaemonSetUpdateStrategy;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number | undefined;
  updatedNumberScheduled?: number | undefined;
  numberAvailable?: number | undefined;
  numberUnavailable?: number | undefined;
  collisionCount?: number | undefined;
  conditions?: DaemonSetCondition[] | undefined;
}

export interface DaemonSetUpdateStrategy {
  type?: "OnDelete" | "RollingUpdate" | undefined;
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
}

export interface Deployment {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: DeploymentSpec;
  status: DeploymentStatus;
}

export interface DeploymentCondition {
  type: string;
  status: string;
  lastUpdateTime?: Time | undefined;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface DeploymentList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Deployment[];
}

export interface DeploymentSpec {
  replicas?: number | undefined;
  selector?: LabelSelector | undefined;
  template: PodTemplateSpec;
  strategy: DeploymentStrategy;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  paused?: boolean | undefined;
  progressDeadlineSeconds?: number | undefined;
}

export interface DeploymentStatus {
  observedGeneration?: number | undefined;
  replicas?: number | undefined;
  updatedReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  unavailableReplicas?: number | undefined;
  terminatingReplicas?: number | undefined;
  conditions?: DeploymentCondition[] | undefined;
  collisionCount?: number | undefined;
}

export interface DeploymentStrategy {
  type?: "Recreate" | "RollingUpdate" | undefined;
  rollingUpdate?: RollingUpdateDeployment | undefined;
}

export interface ReplicaSet {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: ReplicaSetSpec;
  status: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ReplicaSetList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: ReplicaSet[];
}

export interface ReplicaSetSpec {
  replicas?: number | undefined;
  minReadySeconds?: number | undefined;
  selector?: LabelSelector | undefined;
  template: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  terminatingReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  conditions?: ReplicaSetCondition[] | undefined;
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: IntOrString | undefined;
  maxSurge?: IntOrString | undefined;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: IntOrString | undefined;
  maxSurge?: IntOrString | undefined;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number | undefined;
  maxUnavailable?: IntOrString | undefined;
}

export interface StatefulSet {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: StatefulSetSpec;
  status: StatefulSetStatus;
}

export interface StatefulSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: Time | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface StatefulSetList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: StatefulSet[];
}

export interface StatefulSetOrdinals {
  start: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string | undefined;
  whenScaled?: string | undefined;
}

export interface StatefulSetSpec {
  replicas?: number | undefined;
  selector?: LabelSelector | undefined;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  serviceName: string;
  podManagementPolicy?: "OrderedReady" | "Parallel" | undefined;
  updateStrategy: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number | undefined;
  minReadySeconds?: number | undefined;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
  ordinals?: StatefulSetOrdinals | undefined;
}

export interface StatefulSetStatus {
  observedGeneration?: number | undefined;
  replicas: number;
  readyReplicas?: number | undefined;
  currentReplicas?: number | undefined;
  updatedReplicas?: number | undefined;
  currentRevision?: string | undefined;
  updateRevision?: string | undefined;
  collisionCount?: number | undefined;
  conditions?: StatefulSetCondition[] | undefined;
  availableReplicas: number;
}

export interface StatefulSetUpdateStrategy {
  type?: "OnDelete" | "Recreate" | "RollingUpdate" | undefined;
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
}
