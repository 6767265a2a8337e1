import { shapeOf } from '../../shapes.ts';
import { encodeMessage } from './encode.ts';
import type { TypeMeta } from './envelope.ts';
import { wrapMessage } from './envelope.ts';
import { WireWriter } from './wire-writer.ts';

/** A list's body out of the messages of its items, as `encodeMessage` made them; nothing is encoded again. */
export function encodeProtobufList(metadata: unknown, items: readonly Uint8Array[], type: TypeMeta): Uint8Array {
  const wire = new WireWriter();
  for (let index = items.length - 1; index >= 0; index--) {
    wire.bytes(items[index] as Uint8Array);
    wire.tag(2, 2);
  }
  wire.bytes(encodeMessage(metadata, shapeOf('meta.k8s.io/v1.ListMeta')));
  wire.tag(1, 2);
  return wrapMessage(wire.finish(), type);
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
