// Generated from the facts by packages/api/generate; never edited.
import type { MicroTime, Time } from '../../../scalars.ts';
import type { EventSource, ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

export interface Event {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ObjectMeta;
  eventTime: MicroTime;
  series?: EventSeries | undefined;
  reportingController?: string | undefined;
  reportingInstance?: string | undefined;
  action?: string | undefined;
  reason?: string | undefined;
  regarding: ObjectReference;
  related?: ObjectReference | undefined;
  note?: string | undefined;
  type?: string | undefined;
  deprecatedSource: EventSource;
  deprecatedFirstTimestamp?: Time | undefined;
  deprecatedLastTimestamp?: Time | undefined;
  deprecatedCount?: number | undefined;
}

export interface EventList {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: ListMeta;
  items: Event[];
}

export interface EventSeries {
  count: number;
  lastObservedTime: MicroTime;
}
