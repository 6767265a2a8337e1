import type { ApiObject } from '../storage/encoding.ts';

/** events.k8s.io/v1 → v1: the same event under the names that the core group has for its fields. */
const storedNames: Readonly<Record<string, string>> = {
  reportingController: 'reportingComponent',
  reportingInstance: 'reportingInstance',
  regarding: 'involvedObject',
  note: 'message',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const servedNames = Object.fromEntries(Object.entries(storedNames).map(([served, stored]) => [stored, served]));

export function eventToStored(event: ApiObject): ApiObject {
  return { ...renamed(event, storedNames), apiVersion: 'v1' };
}

export function eventFromStored(event: ApiObject, apiVersion: string): ApiObject {
  return event.apiVersion === apiVersion ? event : { ...renamed(event, servedNames), apiVersion };
}

function renamed(event: ApiObject, names: Readonly<Record<string, string>>): ApiObject {
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(event)) result[names[field] ?? field] = value;
  return result as unknown as ApiObject;
}
