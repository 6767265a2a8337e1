// Generated from the facts by packages/api/generate; never edited.
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface PriorityClass {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  value: number;
  globalDefault?: boolean | undefined;
  description?: string | undefined;
  preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
}

export interface PriorityClassList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: PriorityClass[];
}
