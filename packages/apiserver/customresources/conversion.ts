import { deepFreeze } from '@kubernode/machinery';
import type { Conversion } from '../conversion.ts';
import type { ApiObject } from '../storage/encoding.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { NotReadable } from '../storage/unreadable.ts';
import { defaulted } from './defaults.ts';
import { pruned } from './prune.ts';
import type { Schema } from './schema.ts';
import { conversionFailed, type Convert } from './webhook-conversion.ts';

let forms = 0;

export interface CustomConversionOptions {
  readonly group: string;
  readonly plural: string;
  readonly apiVersion: string;
  readonly schema: Schema;
  readonly storedApiVersion: string;
  readonly storedSchema: Schema;
  /** Undefined: versions differ in their names only. */
  readonly convert: Convert | undefined;
}

/**
 * Between a version of a custom resource and the one that is stored. What is read is pruned and defaulted by the schema
 * as it is now, which may not be the one by which it was written.
 */
export function customConversion(options: CustomConversionOptions): Conversion {
  const { schema, storedApiVersion, storedSchema, convert } = options;
  forms += 1;
  const read = (object: ApiObject) => defaulted(pruned(object, schema), schema);
  const named = (object: ApiObject, apiVersion: string) =>
    object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  const plain: Conversion = {
    storedGroup: options.group,
    storedPlural: options.plural,
    readForm: `custom:${forms}`,
    isOutdated: ({ object }) => object.apiVersion !== storedApiVersion,
    fromStored: (object, apiVersion) => read(named(object, apiVersion)),
    toStored: (object) =>
      object.apiVersion === storedApiVersion ? object : pruned(named(object, storedApiVersion), storedSchema),
  };
  return convert ? { ...plain, ...byWebhook(options, convert, read) } : plain;
}

/** Converted objects are kept as long as the stored ones; whoever reads waits for them first (`prepare`). */
function byWebhook(
  { apiVersion, storedApiVersion, storedSchema }: CustomConversionOptions,
  convert: Convert,
  read: (object: ApiObject) => ApiObject,
): Pick<Conversion, 'prepare' | 'read' | 'store'> {
  const converted = new WeakMap<StoredObject, ApiObject>();
  const underWay = new WeakMap<StoredObject, Promise<void>>();
  const isMissing = (stored: StoredObject) => stored.object.apiVersion !== apiVersion && !converted.has(stored);
  const ask = async (objects: readonly StoredObject[]): Promise<void> => {
    try {
      const answers = await convert(
        objects.map(({ object }) => object),
        apiVersion,
      );
      answers.forEach((answer, index) => converted.set(objects[index]!, deepFreeze(read(answer))));
    } catch (error) {
      throw new NotReadable(objects, error as Error);
    } finally {
      for (const object of objects) underWay.delete(object);
    }
  };
  return {
    prepare(objects) {
      const missing = objects.filter(isMissing);
      if (missing.length === 0) return undefined;
      const asked = missing.filter((object) => !underWay.has(object));
      if (asked.length > 0) {
        const answer = ask(asked);
        for (const object of asked) underWay.set(object, answer);
      }
      return Promise.all(missing.flatMap((object) => underWay.get(object) ?? [])).then(() => undefined);
    },
    read: (stored) => converted.get(stored) ?? read({ ...stored.object, apiVersion }),
    store(object) {
      if (object.apiVersion === storedApiVersion) return undefined;
      return convert([object], storedApiVersion).then(
        ([answer]) => pruned(answer!, storedSchema),
        (error: unknown) => {
          throw conversionFailed(error);
        },
      );
    },
  };
}
