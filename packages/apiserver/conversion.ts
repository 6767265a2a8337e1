import type { ApiObject } from './storage/encoding.ts';

/**
 * Between a served version and the one that is stored. Objects are never changed: each direction answers a new one,
 * or the same where nothing differs.
 */
export interface Conversion {
  readonly storedGroup: string;
  readonly storedPlural: string;
  /** The version in stored objects; undefined: each object in the version that it was written in, which all can read. */
  readonly storedApiVersion: string | undefined;
  readonly fromStored: (object: ApiObject, apiVersion: string) => ApiObject;
  readonly toStored: (object: ApiObject) => ApiObject;
}

/** For versions that differ in nothing but their name. */
export function identityConversion(group: string, plural: string): Conversion {
  return {
    storedGroup: group,
    storedPlural: plural,
    storedApiVersion: undefined,
    fromStored: (object, apiVersion) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }),
    toStored: (object) => object,
  };
}

/** The conversion of a resource whose versions differ in more. */
export function conversionOf(group: string, version: string, plural: string): Conversion | undefined {
  return special.get(`${group}/${version}/${plural}`);
}

const special = new Map<string, Conversion>();
