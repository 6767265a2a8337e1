// Generated from the facts by packages/api/generate; never edited.
import type { Quantity } from '../../../scalars.ts';
import type { Toleration } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Overhead {
  podFixed?: { [key: string]: Quantity } | undefined;
}

export interface RuntimeClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  handler: string;
  overhead?: Overhead | undefined;
  scheduling?: Scheduling | undefined;
}

export interface RuntimeClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: RuntimeClass[];
}

export interface Scheduling {
  nodeSelector?: { [key: string]: string } | undefined;
  tolerations?: Toleration[] | undefined;
}
