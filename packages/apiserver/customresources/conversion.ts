import type { Conversion } from '../conversion.ts';
import { defaulted } from './defaults.ts';
import { pruned } from './prune.ts';
import type { Schema } from './schema.ts';

let forms = 0;

/**
 * Between a version of a custom resource and the one that is stored. What is read is pruned and defaulted by the schema
 * as it is now, which may not be the one by which it was written.
 */
export function customConversion(
  names: { readonly group: string; readonly plural: string; readonly storedApiVersion: string },
  schema: Schema,
): Conversion {
  forms += 1;
  return {
    storedGroup: names.group,
    storedPlural: names.plural,
    readForm: `custom:${forms}`,
    fromStored: (object, apiVersion) => {
      const named = object.apiVersion === apiVersion ? object : { ...object, apiVersion };
      return defaulted(pruned(named, schema), schema);
    },
    toStored: (object) =>
      object.apiVersion === names.storedApiVersion ? object : { ...object, apiVersion: names.storedApiVersion },
  };
}
