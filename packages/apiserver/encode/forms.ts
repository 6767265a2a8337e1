import { encodeJsonText, encodeMessage, findShape, scheme, wrapMessage } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asStored, objectIn, passingIn } from './value.ts';

const prefixes = new WeakMap<ServedResource, Buffer>();

function prefixOf(resource: ServedResource): Buffer {
  let prefix = prefixes.get(resource);
  if (!prefix) {
    prefix = Buffer.from(`{"kind":"${resource.kind}","apiVersion":"${resource.apiVersion}",`);
    prefixes.set(resource, prefix);
  }
  return prefix;
}

/** How many bytes of an object's JSON say its kind and version. */
export const typeMetaLength = (resource: ServedResource): number => prefixOf(resource).length;

/** An object's JSON in the version of the resource: the stored bytes themselves, unless they are of another version. */
export function jsonBytes(stored: StoredObject, resource: ServedResource): Buffer {
  const { readForm } = resource.conversion;
  if (readForm) return customBytes(stored, resource, readForm);
  if (stored.beginsWith(prefixOf(resource))) return stored.bytes;
  return stored.form(`json:${resource.apiVersion}`, () =>
    Buffer.from(encodeJsonText(objectIn(stored, resource), resource.shape)),
  );
}

/** A custom object's JSON: the stored bytes, unless its schema says something else by now. */
function customBytes(stored: StoredObject, resource: ServedResource, readForm: string): Buffer {
  // The stored bytes are not kept in a second place: they move.
  const form = stored.form<Buffer | typeof asStored>(`json:${readForm}`, () => {
    const object = objectIn(stored, resource);
    return object === stored.object ? asStored : Buffer.from(encodeJsonText(object, resource.shape));
  });
  return form === asStored ? stored.bytes : form;
}

/** As `jsonBytes`, for who looks at many, one after the other: what is encoded for that is not kept. */
export function passingJson(stored: StoredObject, resource: ServedResource): Buffer {
  const { conversion, apiVersion, shape } = resource;
  if (!conversion.readForm) {
    return stored.beginsWith(prefixOf(resource))
      ? stored.bytes
      : Buffer.from(encodeJsonText(passingIn(stored, resource), shape));
  }
  const form = `json:${conversion.readForm}`;
  if (stored.hasForm(form)) return jsonBytes(stored, resource);
  const object = stored.passingObject;
  const read = conversion.read?.(stored) ?? conversion.fromStored(object, apiVersion);
  if (read !== object) return Buffer.from(encodeJsonText(read, shape));
  stored.form(form, () => asStored);
  return stored.bytes;
}

/**
 * An object's JSON in the version of the resource, where there is nothing to decode for it; undefined where that is not
 * known.
 */
export function knownJson(stored: StoredObject, resource: ServedResource): Buffer | undefined {
  const { readForm } = resource.conversion;
  if (!readForm) return stored.beginsWith(prefixOf(resource)) ? stored.bytes : undefined;
  return stored.hasForm(`json:${readForm}`) ? customBytes(stored, resource, readForm) : undefined;
}

/** How long `passingJson` is; undefined where that is not known before it is made. */
export function jsonLength(stored: StoredObject, resource: ServedResource): number | undefined {
  return !resource.conversion.readForm && stored.beginsWith(prefixOf(resource)) ? stored.byteLength : undefined;
}

/** An object's protobuf message, without its envelope; made once for each version of it. */
export function protobufMessage(stored: StoredObject, resource: ServedResource): Uint8Array {
  return stored.form(`protobuf:${resource.apiVersion}`, () =>
    encodeMessage(objectIn(stored, resource), resource.shape),
  );
}

export function protobufBytes(stored: StoredObject, resource: ServedResource): Uint8Array {
  return wrapMessage(protobufMessage(stored, resource), resource);
}

/** A value of a known kind as protobuf; undefined where the kind is not known. */
export function protobufOfValue(value: unknown): Uint8Array | undefined {
  const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string };
  const shape = shapeOfValue(value);
  return shape ? wrapMessage(encodeMessage(value, shape), { apiVersion, kind }) : undefined;
}

/** The shape of the kind that a value says it is of. */
export function shapeOfValue(value: unknown) {
  const { apiVersion = '', kind = '' } = (value ?? {}) as { apiVersion?: string; kind?: string };
  return scheme.byKind(apiVersion, kind)?.shape ?? metaShape(apiVersion, kind);
}

function metaShape(apiVersion: string, kind: string) {
  return findShape(apiVersion, kind) ?? findShape('meta.k8s.io/v1', kind);
}
