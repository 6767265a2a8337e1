import { shapeOf } from '../../shapes.ts';
import { encodeMessage } from './encode.ts';
import type { TypeMeta } from './envelope.ts';
import { envelopeEnd, envelopeHead } from './envelope.ts';
import { WireWriter } from './wire-writer.ts';

/** What a list's body has before its items. `itemsLength`: of all of them, each with its `listItemHeader`. */
export function protobufListHead(metadata: unknown, itemsLength: number, type: TypeMeta): Uint8Array {
  const wire = new WireWriter();
  wire.bytes(encodeMessage(metadata, shapeOf('meta.k8s.io/v1.ListMeta')));
  wire.tag(1, 2);
  return Buffer.concat([envelopeHead(wire.length + itemsLength, type), wire.finish()]);
}

/** What it has after them. */
export const protobufListEnd = envelopeEnd;

/** The tag and the length of a list's item of so many bytes. */
export function listItemHeader(length: number): Uint8Array {
  const wire = new WireWriter(16);
  wire.varint(length);
  wire.tag(2, 2);
  return wire.finish();
}

/**
 * One event of a protobuf watch: its length in four bytes, then a `WatchEvent` without an envelope, whose object has one.
 */
export function encodeWatchFrame(type: string, object: Uint8Array): Uint8Array {
  const wire = new WireWriter();
  wire.bytes(object);
  wire.tag(1, 2);
  wire.varint(wire.length);
  wire.tag(2, 2);
  wire.string(type);
  wire.tag(1, 2);
  const size = wire.length;
  wire.raw(new Uint8Array([size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255]));
  return wire.finish();
}
