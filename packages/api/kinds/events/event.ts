import { Event } from '../../generated/types/events/v1.ts';
import { eventCauses, eventFields, eventRow } from '../../rules/events.ts';
import { pathSegment } from '../../rules/names.ts';
import { define } from '../define.ts';

const facts = (event: Event) => ({
  ...event,
  object: event.regarding,
  source: event.deprecatedSource,
  firstTimestamp: event.deprecatedFirstTimestamp,
  lastTimestamp: event.deprecatedLastTimestamp,
  count: event.deprecatedCount,
  message: event.note,
  controller: event.reportingController,
  objectField: 'regarding',
  controllerField: 'reportingController',
});

export const event = define(Event, {
  validateName: pathSegment,
  validate: (object) => eventCauses(facts(object)),
  selectableFields: eventFields('regarding', 'reportingController', facts),
  createOnUpdate: true,
  row: (object, nowMs) => eventRow(facts(object), nowMs),
});
