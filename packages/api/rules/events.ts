import { deepEqual, qualifiedName } from '@kubernode/machinery';
import type { EventSeries, EventSource, ObjectReference } from '../generated/types/core/v1.ts';
import type { ObjectMeta } from '../generated/types/meta/v1.ts';
import type { Cell } from '../cell.ts';
import { ageCell } from '../kinds/cells.ts';
import type { FieldCause } from '../status-error.ts';
import { invalid, required as requiredCause } from './cause.ts';
import { immutable } from './values.ts';

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
  readonly related?: ObjectReference | undefined;
  readonly controller?: string | undefined;
  readonly reportingInstance?: string | undefined;
  /** How the kind itself calls it. */
  readonly controllerField: string;
}

const textBytesMax = 128;
const noteBytesMax = 1024;

/** An event lives where its object lives; one with an eventTime is new and has to be complete (legacyValidateEvent). */
export function eventCauses(event: EventFacts): readonly FieldCause[] {
  const { object, metadata, eventTime } = event;
  const at = 'involvedObject.namespace';
  const { namespace = '' } = object;
  const { namespace: own = '' } = metadata;
  const homes = eventTime === undefined ? ['', 'default'] : ['default', 'kube-system'];
  const isElsewhere = namespace ? eventTime === undefined && own !== namespace : !homes.includes(own);
  const found = isElsewhere ? [invalid(at, namespace, 'does not match event.namespace')] : [];
  return eventTime === undefined ? found : [...found, ...completeCauses(event)];
}

function completeCauses(event: EventFacts): readonly FieldCause[] {
  const { controller = '', controllerField, message = '' } = event;
  const found = controller ? [] : [requiredCause(controllerField)];
  found.push(...qualifiedName(controller).map((detail) => invalid(controllerField, controller, detail)));
  for (const name of ['reportingInstance', 'action', 'reason'] as const) {
    const text = event[name] ?? '';
    if (!text) found.push(requiredCause(name));
    if (Buffer.byteLength(text) > textBytesMax)
      found.push(invalid(name, '', `can have at most ${textBytesMax} characters`));
  }
  if (Buffer.byteLength(message) > noteBytesMax)
    found.push(invalid('message', '', `can have at most ${noteBytesMax} characters`));
  return found;
}

/** What events.k8s.io wants of a new event, beyond what holds for both groups. Fields have the core group's names. */
export function strictEventCauses(event: EventFacts): readonly FieldCause[] {
  const unset = (path: string, isSet: boolean) => (isSet ? [invalid(path, '', 'needs to be unset')] : []);
  const { type = '', source } = event;
  return [
    ...seriesCauses(event),
    ...(event.eventTime === undefined ? [requiredCause('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', event.firstTimestamp !== undefined),
    ...unset('lastTimestamp', event.lastTimestamp !== undefined),
    ...unset('count', Boolean(event.count)),
    ...unset('source', Boolean(source.component) || Boolean(source.host)),
  ];
}

function seriesCauses({ series }: EventFacts): readonly FieldCause[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [requiredCause('series.lastObservedTime')]),
  ];
}

/** Of an event in events.k8s.io only the series goes on. Upstream looks at the reason twice. */
export function changedEventCauses(event: EventFacts, old: EventFacts): readonly FieldCause[] {
  const kept = [
    ['involvedObject', 'object'],
    ['reason', 'reason'],
    ['message', 'message'],
    ['source', 'source'],
    ['firstTimestamp', 'firstTimestamp'],
    ['lastTimestamp', 'lastTimestamp'],
    ['count', 'count'],
    ['reason', 'reason'],
    ['type', 'type'],
    ['eventTime', 'eventTime'],
    ['action', 'action'],
    ['related', 'related'],
    ['reportingController', 'controller'],
    ['reportingInstance', 'reportingInstance'],
  ] as const;
  return [
    ...(deepEqual(event.series, old.series) ? [] : seriesCauses(event)),
    ...kept.flatMap(([path, name]) => immutable(event[name], path, old[name])),
  ];
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
    source: (event) => facts(event).source.component || facts(event).controller || '',
    type: (event) => facts(event).type ?? '',
  };
}

export function eventRow(event: EventFacts): readonly Cell[] {
  const { object, source, series } = event;
  const first = event.firstTimestamp ?? event.eventTime;
  const last = series ? series.lastObservedTime : (event.lastTimestamp ?? first);
  const count = series ? series.count : event.count || 1;
  const component = source.component || event.controller || '';
  const host = source.host || (source.component ? '' : event.reportingInstance) || '';
  return [
    ageCell(last),
    event.type ?? '',
    event.reason ?? '',
    [(object.kind ?? '').toLowerCase(), object.name].filter(Boolean).join('/'),
    object.fieldPath ?? '',
    host ? `${component}, ${host}` : component,
    (event.message ?? '').trim(),
    ageCell(first),
    count,
    event.metadata.name,
  ];
}
