import { qualifiedName } from '@kubernode/machinery';
import type { EventSeries, EventSource, ObjectReference } from '../generated/types/core/v1.ts';
import type { ObjectMeta } from '../generated/types/meta/v1.ts';
import { ageCell } from '../kinds/cells.ts';
import type { FieldCause } from '../status-error.ts';
import { invalid, required as requiredCause } from './cause.ts';

/** What both groups' events say, under one set of names. */
export interface EventFacts {
  readonly metadata: ObjectMeta;
  readonly object: ObjectReference;
  readonly source: EventSource;
  readonly firstTimestamp?: string | undefined;
  readonly lastTimestamp?: string | undefined;
  readonly eventTime?: string | undefined;
  readonly count?: number | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly action?: string | undefined;
  readonly type?: string | undefined;
  readonly series?: Pick<EventSeries, 'count' | 'lastObservedTime'> | undefined;
  readonly controller?: string | undefined;
  readonly reportingInstance?: string | undefined;
  /** How the kind itself calls two of them. */
  readonly objectField: string;
  readonly controllerField: string;
}

/** An event lives where its object lives; one with an eventTime is new and has to be complete. */
export function eventCauses(event: EventFacts): readonly FieldCause[] {
  const { object, metadata, controller = '', controllerField } = event;
  const found: FieldCause[] = [];
  const at = `${event.objectField}.namespace`;
  const { namespace = '' } = object;
  const isElsewhere = namespace
    ? metadata.namespace !== namespace
    : metadata.namespace !== 'default' && metadata.namespace !== '';
  if (isElsewhere && event.eventTime === undefined)
    found.push(invalid(at, namespace, 'does not match event.namespace'));
  const isOfCluster = metadata.namespace === 'default' || metadata.namespace === 'kube-system';
  if (event.eventTime !== undefined && !namespace && !isOfCluster)
    found.push(invalid(at, namespace, 'does not match event.namespace'));
  if (event.eventTime === undefined) return found;
  if (!controller) found.push(requiredCause(controllerField));
  found.push(...qualifiedName(controller).map((detail) => invalid(controllerField, controller, detail)));
  if (!event.reportingInstance) found.push(requiredCause('reportingInstance'));
  if (!event.action) found.push(requiredCause('action'));
  if (!event.reason) found.push(requiredCause('reason'));
  const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;
  const long = Object.entries(limits).filter(([name, max]) => Buffer.byteLength(event[name as 'reason'] ?? '') > max);
  return [...found, ...long.map(([name, max]) => invalid(name, '', `can have at most ${max} characters`))];
}

/** What events can be selected by; the names follow the group's own. */
export function eventFields<T>(
  objectField: string,
  controllerField: string,
  facts: (event: T) => EventFacts,
): Readonly<Record<string, (event: T) => string>> {
  const names = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;
  const ofObject = names.map(
    (name) => [`${objectField}.${name}`, (event: T) => facts(event).object[name] ?? ''] as const,
  );
  return {
    ...Object.fromEntries(ofObject),
    reason: (event) => facts(event).reason ?? '',
    [controllerField]: (event) => facts(event).controller ?? '',
    source: (event) => facts(event).source.component ?? '',
    type: (event) => facts(event).type ?? '',
  };
}

export function eventRow(event: EventFacts, nowMs: number): readonly unknown[] {
  const { object, source, series } = event;
  const first = event.firstTimestamp ?? event.eventTime;
  const last = series ? series.lastObservedTime : (event.lastTimestamp ?? first);
  const count = series ? series.count : event.count || 1;
  const component = source.component || event.controller || '';
  const host = source.host || (source.component ? '' : event.reportingInstance) || '';
  return [
    ageCell(last, nowMs),
    event.type ?? '',
    event.reason ?? '',
    `${(object.kind ?? '').toLowerCase()}/${object.name ?? ''}`,
    object.fieldPath ?? '',
    host ? `${component}, ${host}` : component,
    (event.message ?? '').trim(),
    ageCell(first, nowMs),
    count,
    event.metadata.name,
  ];
}
