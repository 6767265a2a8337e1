import { deepFreeze } from '@kubernode/machinery';
import type { Conversion } from '../conversion.ts';
import type { ApiObject } from '../storage/encoding.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { NotReadable } from '../storage/unreadable.ts';
import { defaulted } from './objects/defaults.ts';
import { pruned } from './objects/prune.ts';
import type { Schema } from './schema.ts';
import { conversionFailed, type Convert } from './webhook-conversion.ts';

let forms = 0;

export interface CustomConversionOptions {
  readonly group: string;
  readonly plural: string;
  readonly apiVersion: string;
  readonly storedApiVersion: string;
  /** Of all versions that there are, served or not, by apiVersion. */
  readonly schemas: ReadonlyMap<string, Schema>;
  /** Undefined: versions differ in their names only. */
  readonly convert: Convert | undefined;
}

/**
 * Between a version of a custom resource and the one that is stored. What is read is pruned and defaulted by the schema,
 * as it is now, of the version that it is stored in; converted, only pruned.
 */
export function customConversion(options: CustomConversionOptions): Conversion {
  const { apiVersion, storedApiVersion, schemas, convert } = options;
  forms += 1;
  const schemaOf = (version: string | undefined): Schema => schemas.get(version ?? '') ?? {};
  const read = (object: ApiObject) => {
    const schema = schemaOf(object.apiVersion);
    return defaulted(pruned(object, schema), schema);
  };
  const renamed = (object: ApiObject, version: string) =>
    object.apiVersion === version ? object : pruned({ ...object, apiVersion: version }, schemaOf(version));
  const plain: Conversion = {
    storedGroup: options.group,
    storedPlural: options.plural,
    readForm: `custom:${forms}`,
    isOutdated: ({ object }) => object.apiVersion !== storedApiVersion,
    fromStored: (object, version) => renamed(read(object), version),
    toStored: (object) => renamed(object, storedApiVersion),
  };
  if (!convert) {
    return { ...plain, throughStorage: (object) => plain.fromStored(plain.toStored(object), apiVersion) };
  }
  const converted = async (objects: readonly ApiObject[], version: string) => {
    const answers = await convert(objects, version);
    return answers.map((answer) => pruned(answer, schemaOf(version)));
  };
  return { ...plain, ...byWebhook(options, converted, read) };
}

/** Converted objects are kept as long as the stored ones; whoever reads waits for them first (`prepare`). */
function byWebhook(
  { apiVersion, storedApiVersion }: CustomConversionOptions,
  convert: Convert,
  decoded: (object: ApiObject) => ApiObject,
): Partial<Conversion> {
  const converted = new WeakMap<StoredObject, ApiObject>();
  const underWay = new WeakMap<StoredObject, Promise<void>>();
  const isMissing = (stored: StoredObject) => stored.object.apiVersion !== apiVersion && !converted.has(stored);
  const ask = async (objects: readonly StoredObject[]): Promise<void> => {
    try {
      const sent = objects.map(({ object }) => decoded(object));
      const answers = await convert(sent, apiVersion);
      answers.forEach((answer, index) => converted.set(objects[index]!, deepFreeze(answer)));
    } catch (error) {
      throw new NotReadable(objects, error as Error);
    } finally {
      for (const object of objects) underWay.delete(object);
    }
  };
  const one = async (object: ApiObject, version: string): Promise<ApiObject> => {
    if (object.apiVersion === version) return object;
    try {
      const [answer] = await convert([object], version);
      return answer!;
    } catch (error) {
      throw conversionFailed(error);
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
    read: (stored) => converted.get(stored) ?? decoded({ ...stored.object, apiVersion }),
    store: (object) => (object.apiVersion === storedApiVersion ? undefined : one(object, storedApiVersion)),
    throughStorage: async (object) => one(decoded(await one(object, storedApiVersion)), apiVersion),
    convert: (object) => one(object, apiVersion),
  };
}
