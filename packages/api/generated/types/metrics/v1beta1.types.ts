// Generated from the facts by packages/api/generate; never edited.
import type { Duration, Quantity, Time } from '../../../scalars.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface ContainerMetrics {
  name: string;
  usage: { [key: string]: Quantity };
}

export interface NodeMetrics {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  timestamp: Time;
  window: Duration;
  usage: { [key: string]: Quantity };
}

export interface NodeMetricsList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: NodeMetrics[];
}

export interface PodMetrics {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  timestamp: Time;
  window: Duration;
  containers: ContainerMetrics[];
}

export interface PodMetricsList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PodMetrics[];
}
