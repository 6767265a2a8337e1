import { encodeJsonText, encodeMessage, findShape, scheme, wrapMessage } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectIn } from './value.ts';

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
  const prefix = prefixOf(resource);
  const { readForm } = resource.conversion;
  if (readForm) return customBytes(stored, resource, readForm);
  const { bytes } = stored;
  if (bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0) return bytes;
  return stored.form(`json:${resource.apiVersion}`, () =>
    Buffer.from(encodeJsonText(objectIn(stored, resource), resource.shape)),
  );
}

/** A custom object's JSON: the stored bytes, unless its schema says something else by now. */
function customBytes(stored: StoredObject, resource: ServedResource, readForm: string): Buffer {
  return stored.form(`json:${readForm}`, () => {
    const object = objectIn(stored, resource);
    return object === stored.object ? stored.bytes : Buffer.from(encodeJsonText(object, resource.shape));
  });
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
