import { Event } from '../../generated/types/events/v1.ts';
import { changedEventCauses, eventCauses, eventFields, eventRow, strictEventCauses } from '../../rules/events.ts';
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
  controllerField: 'reportingController',
});

export const event = define(Event, {
  validate: (object) => eventCauses(facts(object)),
  validateCreate: (object) => strictEventCauses(facts(object)),
  validateUpdate: (object, old) => changedEventCauses(facts(object), facts(old)),
  selectableFields: eventFields('regarding', 'reportingController', facts),
  createOnUpdate: true,
  row: (object) => eventRow(facts(object)),
});
