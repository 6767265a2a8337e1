import { encodeMessage, encodeProtobufList, unwrapMessage, wrapMessage } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { mediaTypes } from './negotiate.ts';
import { passingIn } from './value.ts';

type List = Extract<Content, { type: 'list' }>;

/** Messages are kept up to this much; those beyond are made again when their turn comes. */
const keptBytesMax = 16 * 1024 * 1024;
/** How an envelope ends: the tag of its message and its length, and two fields that are empty. */
const emptyEnd = Buffer.from([0x12, 0, 0x1a, 0, 0x22, 0]);
const envelopeEnd = emptyEnd.subarray(2);
/** Field 2 of a list, as of an envelope, with its length before it. */
const itemTag = 0x12;

/** The protobuf of a long list: how long it is, which comes first in it, and its pieces, each made when it is asked for. */
export class JoinedProtobuf {
  readonly contentType = mediaTypes.protobuf;
  readonly length: number;
  readonly #list: List;
  readonly #head: Buffer;
  readonly #kept: Uint8Array[] = [];

  constructor(list: List) {
    this.#list = list;
    const type = { apiVersion: list.resource.apiVersion, kind: `${list.resource.kind}List` };
    const metadata = unwrapMessage(encodeProtobufList(list.metadata, [], type)).message;
    let length = metadata.length;
    let keptBytes = 0;
    for (const object of list.objects) {
      const message = this.#encode(object);
      keptBytes += message.length;
      if (keptBytes <= keptBytesMax) this.#kept.push(message);
      length += 1 + varint(message.length).length + message.length;
    }
    const envelope = Buffer.from(wrapMessage(new Uint8Array(), type));
    const begin = envelope.subarray(0, envelope.length - emptyEnd.length);
    this.#head = Buffer.concat([begin, [itemTag], varint(length), metadata].map((part) => Buffer.from(part)));
    this.length = this.#head.length - metadata.length + length + envelopeEnd.length;
  }

  whole(): Buffer {
    return Buffer.concat([...this.pieces(Infinity)]);
  }

  /** Pieces of whole items, of at least so many bytes but the last one. */
  *pieces(bytesMin: number): Generator<Buffer> {
    let parts: Uint8Array[] = [this.#head];
    let length = this.#head.length;
    for (const [index, object] of this.#list.objects.entries()) {
      const message = this.#kept[index] ?? this.#encode(object);
      parts.push(Uint8Array.of(itemTag, ...varint(message.length)), message);
      length += message.length;
      if (length < bytesMin) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
    yield Buffer.concat([...parts, envelopeEnd]);
  }

  #encode(object: StoredObject): Uint8Array {
    const { resource } = this.#list;
    return encodeMessage(passingIn(object, resource), resource.shape);
  }
}

/** Seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return bytes;
}
