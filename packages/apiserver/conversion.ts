import { eventFromStored, eventToStored } from './conversions/events.ts';
import { deviceConversions } from './conversions/devices.ts';
import { autoscalerFromStored, autoscalerToStored } from './conversions/autoscalers.ts';
import type { ApiObject } from './storage/encoding.ts';
import type { StoredObject } from './storage/stored-object.ts';

/**
 * Between a served version and the one that is stored. Objects are never changed: each direction answers a new one,
 * or the same where nothing differs.
 */
export interface Conversion {
  readonly storedGroup: string;
  readonly storedPlural: string;
  /** Where reading does more than naming the version: what the form that is read is kept by. */
  readonly readForm?: string;
  readonly fromStored: (object: ApiObject, apiVersion: string) => ApiObject;
  readonly toStored: (object: ApiObject) => ApiObject;
  /**
   * Gets what reading needs of others (a webhook); undefined where there is nothing to wait for. To be awaited before
   * `read`. Rejects with NotReadable.
   */
  readonly prepare?: (objects: readonly StoredObject[]) => Promise<void> | undefined;
  /** Instead of `toStored`, where that is asked of others; undefined where the object is in that version already. */
  readonly store?: (object: ApiObject) => Promise<ApiObject> | undefined;
  /** What becomes of an object that is stored and read again: the answer to a dry run. Undefined: it stays as it is. */
  readonly throughStorage?: (object: ApiObject) => ApiObject | Promise<ApiObject>;
  /** Whether an object is stored in another version than it would be now: a change that changes nothing is written. */
  readonly isOutdated?: (stored: StoredObject) => boolean;
  /** From any version to this one, where that is asked of others: what admission shows to webhooks. */
  readonly convert?: (object: ApiObject) => Promise<ApiObject>;
  /** Instead of `fromStored`, where that is asked of others. */
  readonly read?: (stored: StoredObject) => ApiObject;
}

/** For versions that differ in nothing but their name. */
export function identityConversion(group: string, plural: string): Conversion {
  return {
    storedGroup: group,
    storedPlural: plural,
    fromStored: (object, apiVersion) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }),
    toStored: (object) => object,
  };
}

/** The conversion of a resource whose versions differ in more; undefined for all others. */
export function conversionOf(group: string, version: string, plural: string): Conversion | undefined {
  return special.get(`${group}/${version}/${plural}`);
}

/** Events are the core group's, whichever group they are written in; autoscalers are stored as v2, devices and claims as v1. */
const special = new Map<string, Conversion>([
  [
    'events.k8s.io/v1/events',
    { storedGroup: '', storedPlural: 'events', fromStored: eventFromStored, toStored: eventToStored },
  ],
  [
    'autoscaling/v1/horizontalpodautoscalers',
    {
      storedGroup: 'autoscaling',
      storedPlural: 'horizontalpodautoscalers',
      fromStored: autoscalerFromStored,
      toStored: autoscalerToStored,
    },
  ],
  ...deviceConversions,
]);
