import { parseJsonExactly } from '@kubernode/machinery';
import type { WatchEvent } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { ServedResource } from '../registry.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import type { ApiObject } from '../storage/encoding.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** An answer as a value, for whoever shares the server's memory. Stored objects are shared, frozen. */
export function valueOf(content: Content): unknown {
  switch (content.type) {
    case 'object':
      return objectIn(content.object, content.resource);
    case 'value':
      return content.value;
    case 'list': {
      const { resource, objects, metadata } = content;
      const items = objects.map((object) => objectIn(object, resource));
      return { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items };
    }
    case 'bytes': {
      const text = typeof content.bytes === 'string' ? content.bytes : Buffer.from(content.bytes).toString('utf8');
      return content.contentType.startsWith('application/json') ? parseJsonExactly(text) : text;
    }
    default:
      return undefined;
  }
}

/** The object in the version of the resource that it was asked through; `prepare` of the conversion comes first. */
export function objectIn(stored: StoredObject, { conversion, apiVersion }: ServedResource): ApiObject {
  if (conversion.read) return conversion.read(stored);
  const { object } = stored;
  const { readForm } = conversion;
  if (object.apiVersion === apiVersion && !readForm) return object;
  const form = stored.form<ApiObject | typeof asStored>(`object:${readForm ?? apiVersion}`, () => {
    const read = conversion.fromStored(object, apiVersion);
    return read === object ? asStored : read;
  });
  return form === asStored ? object : form;
}

/** As `objectIn`, for who looks at many, one after the other: nothing is kept of what is decoded for that. */
export function passingIn(stored: StoredObject, { conversion, apiVersion }: ServedResource): ApiObject {
  if (conversion.read) return conversion.read(stored);
  const object = stored.passingObject;
  const { readForm } = conversion;
  if (object.apiVersion === apiVersion && !readForm) return object;
  const read = conversion.fromStored(object, apiVersion);
  // The next one who wants its JSON need not decode it.
  if (readForm && read === object) stored.form(`json:${readForm}`, () => asStored);
  return read;
}

/** What is read is what is stored: nothing is kept beside the bytes. */
export const asStored = Symbol('asStored');

export function watchEventOf<T>(item: WatchItem, resource: ServedResource): WatchEvent<T> {
  const object = item.type === 'BOOKMARK' ? bookmarkObject(item, resource) : objectIn(item.object, resource);
  return { type: item.type, object: object as T };
}

/** A bookmark's object says nothing but how far the watch is. */
export function bookmarkObject(
  { revision, initialEventsEnd }: Extract<WatchItem, { type: 'BOOKMARK' }>,
  { kind, apiVersion }: ServedResource,
): unknown {
  const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return { kind, apiVersion, metadata: { resourceVersion: String(revision), ...annotations } };
}
