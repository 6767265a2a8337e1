import { Event } from '../../generated/types/core/v1.ts';
import { eventCauses, eventFields, eventRow } from '../../rules/events.ts';
import { pathSegment } from '../../rules/names.ts';
import { define } from '../define.ts';

const facts = (event: Event) => ({
  ...event,
  object: event.involvedObject,
  source: event.source,
  firstTimestamp: event.firstTimestamp,
  lastTimestamp: event.lastTimestamp,
  count: event.count,
  message: event.message,
  controller: event.reportingComponent,
  controllerField: 'reportingComponent',
});

export const event = define(Event, {
  validateName: pathSegment,
  plainFinalizers: 'always',
  validate: (object) => eventCauses(facts(object)),
  selectableFields: eventFields('involvedObject', 'reportingComponent', facts),
  createOnUpdate: true,
  row: (object) => eventRow(facts(object)),
});
