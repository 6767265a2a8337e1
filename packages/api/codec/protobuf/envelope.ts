import type { ObjectShape } from '@kubernode/machinery';
import { findShape } from '../../shapes.ts';
import { readerOf } from '../decode.ts';
import { DecodeError } from '../decode-error.ts';
import { Parts } from '../parts.ts';
import { newState } from '../reader.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { WireReader } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

/** Every protobuf body begins with these bytes. */
const magic = Buffer.from('k8s\0', 'latin1');

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Whether bytes are a protobuf body. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && magic.every((byte, index) => bytes[index] === byte);
}

/** An object's protobuf body: the magic bytes and a `runtime.Unknown` around its message. */
export function encodeProtobuf(object: unknown, shape: ObjectShape, type: TypeMeta): Uint8Array {
  return wrapMessage(encodeMessage(object, shape), type);
}

/** Puts a message into its envelope. */
export function wrapMessage(message: Uint8Array, type: TypeMeta): Uint8Array {
  return Buffer.concat([envelopeHead(message.length, type), message, envelopeEnd]);
}

/** What an envelope has after its message: two fields that are always there, and empty, the content's encoding and type. */
export const envelopeEnd = Buffer.from([0x1a, 0, 0x22, 0]);

/** What it has before a message of so many bytes, also for messages that are never in memory as a whole. */
export function envelopeHead(messageLength: number, { apiVersion, kind }: TypeMeta): Uint8Array {
  const wire = new WireWriter(128);
  wire.varint(messageLength);
  wire.tag(2, 2);
  const before = wire.length;
  wire.string(kind);
  wire.tag(2, 2);
  wire.string(apiVersion);
  wire.tag(1, 2);
  wire.varint(wire.length - before);
  wire.tag(1, 2);
  wire.raw(magic);
  return wire.finish();
}

/** A body's envelope, taken off. `message` shares the bytes. Throws DecodeError. */
export function unwrapMessage(bytes: Uint8Array): TypeMeta & { readonly message: Uint8Array } {
  if (!isProtobuf(bytes)) {
    throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const wire = new WireReader(bytes, 4);
  let [apiVersion, kind, message] = ['', '', new Uint8Array() as Uint8Array];
  while (wire.hasMore) {
    const tag = wire.varint();
    if (tag === 18) message = wire.message().rest();
    else if (tag === 10) {
      const inner = wire.message();
      while (inner.hasMore) {
        const innerTag = inner.varint();
        if (innerTag === 10) apiVersion = inner.string();
        else if (innerTag === 18) kind = inner.string();
        else inner.skip(innerTag & 7);
      }
    } else wire.skip(tag & 7);
  }
  return { apiVersion, kind, message };
}

/**
 * A protobuf body → its object in canonical form, with kind and apiVersion in it. `shape`: what to read it as where the
 * body does not say it, or says a kind that the facts do not know. Throws DecodeError, RequestEntityTooLarge.
 */
export function decodeProtobuf<T = unknown>(bytes: Uint8Array, shape?: ObjectShape): TypeMeta & { readonly object: T } {
  const { apiVersion, kind, message } = unwrapMessage(bytes);
  const found = findShape(apiVersion, kind) ?? shape;
  if (!found) throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const value = decodeMessage(new WireReader(message, 0, message.length, new Parts()), found) as Record<
    string,
    unknown
  >;
  if (found.byName.has('kind') && found.fields[0]?.name === 'kind') Object.assign(value, { kind, apiVersion });
  const object = readerOf(found)(value, newState(true)) as T;
  return { apiVersion, kind, object };
}
