// Generated from the facts by packages/api/generate; never edited.
import type { Time } from '../../../scalars.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Eviction {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: EvictionSpec;
  status: EvictionStatus;
}

export interface EvictionList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Eviction[];
}

export interface EvictionPodReference {
  name: string;
  uid: string;
}

export interface EvictionRequest {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  spec: EvictionRequestSpec;
  status: EvictionRequestStatus;
}

export interface EvictionRequestList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: EvictionRequest[];
}

export interface EvictionRequestPodReference {
  name: string;
  uid: string;
}

export interface EvictionRequestSpec {
  target: EvictionRequestTarget;
  requester: string;
  intent: "Eviction" | "Withdrawn";
}

export interface EvictionRequestStatus {
  conditions?: Condition[] | undefined;
  observedGeneration?: number | undefined;
}

export interface EvictionRequestTarget {
  pod?: EvictionRequestPodReference | undefined;
}

export interface EvictionSpec {
  target: EvictionTarget;
}

export interface EvictionStatus {
  conditions?: Condition[] | undefined;
  observedGeneration?: number | undefined;
  requesters?: Requester[] | undefined;
  targetResponders?: TargetResponder[] | undefined;
  responders?: ResponderStatus[] | undefined;
}

export interface EvictionTarget {
  pod?: EvictionPodReference | undefined;
}

export interface Requester {
  name: string;
  intent: "Eviction" | "Withdrawn";
}

export interface ResponderStatus {
  name: string;
  startTime?: Time | undefined;
  heartbeatTime?: Time | undefined;
  expectedCompletionTime?: Time | undefined;
  completionTime?: Time | undefined;
  message?: string | undefined;
}

export interface TargetResponder {
  name: string;
  priority?: number | undefined;
  state: "Active" | "Canceled" | "Completed" | "Inactive" | "Interrupted";
}
