import { setImmediate } from 'node:timers/promises';
import { encodeMessage, listItemHeader, protobufListEnd, protobufListHead, type TypeMeta } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { protobufMessage, shapeOfValue } from './forms.ts';
import { measuredItems, sharedItems, type JoinedList } from './list-items.ts';
import { mediaTypes } from './negotiate.ts';
import { portions, type LongList } from './portions.ts';
import { fillWith, lengthOfParts } from './print.ts';
import { listParts } from './transform.ts';
import { passingIn } from './value.ts';

type List = Extract<Content, { type: 'list' }>;

/** Messages are kept up to this much; those beyond are made again when their turn comes. */
const keptBytesMax = 16 * 1024 * 1024;
/** Objects of so many bytes are measured at a time. */
const measuredBytes = 256 * 1024;

/** What the protobuf of a list is made of. */
interface ProtobufList {
  readonly type: TypeMeta;
  readonly metadata: unknown;
  readonly objects: readonly StoredObject[];
  readonly encode: (object: StoredObject) => Uint8Array;
}

function protobufList(list: List): ProtobufList {
  const { resource, metadata, objects, format } = list;
  if (!format.transform) {
    const type = { apiVersion: resource.apiVersion, kind: `${resource.kind}List` };
    return { type, metadata, objects, encode: (object) => encodeMessage(passingIn(object, resource), resource.shape) };
  }
  const { head, item } = listParts(list, 0, new URLSearchParams());
  const items = shapeOfValue(head)?.byName.get('items')?.shape;
  const shape = items?.type === 'list' && items.items.type === 'object' ? items.items : undefined;
  if (!shape) throw new Error(`a list as ${JSON.stringify(format.transform)} has no protobuf form`);
  return {
    type: head as unknown as TypeMeta,
    metadata,
    objects,
    encode: (object) => encodeMessage(item(object), shape),
  };
}

/** The messages of longer lists are not kept with their objects: they would take as much memory once more. */
const keptMessagesMax = 1_000;

/** The protobuf of a list. */
export function joinedProtobuf(list: List): JoinedList {
  const source = protobufList(list);
  const itemsOf = (from: ProtobufList) =>
    measuredItems(() => [...listItems(from), protobufListEnd], lengthOfParts, fillWith);
  const items = list.format.transform
    ? itemsOf(source)
    : sharedItems(list, () => itemsOf(list.objects.length > keptMessagesMax ? source : keeping(source, list)));
  const head = protobufListHead(list.metadata, items.length - protobufListEnd.length, source.type);
  return { contentType: mediaTypes.protobuf, head, items };
}

function* listItems({ objects, encode }: ProtobufList): Generator<Uint8Array> {
  for (const object of objects) {
    const message = encode(object);
    yield listItemHeader(message.length);
    yield message;
  }
}

/** Other readers, and watches, are told the same messages. */
function keeping(source: ProtobufList, { resource }: List): ProtobufList {
  return { ...source, encode: (object) => protobufMessage(object, resource) };
}

/** The protobuf of a long list. How long it is comes first in it: all of it is made to know that, and most of it twice. */
export async function longProtobuf(list: List): Promise<LongList> {
  const source = protobufList(list);
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let length = 0;
  for (const portion of portions(source.objects, measuredBytes)) {
    for (const object of portion) {
      const message = source.encode(object);
      keptBytes += message.length;
      if (keptBytes <= keptBytesMax) kept.push(message);
      length += listItemHeader(message.length).length + message.length;
    }
    // Others have their turn in between.
    await setImmediate();
  }
  const head = protobufListHead(source.metadata, length, source.type);
  return {
    contentType: mediaTypes.protobuf,
    length: head.length + length + protobufListEnd.length,
    pieces: (bytesMin) => pieces(source, { head, kept }, bytesMin),
  };
}

interface Made {
  readonly head: Uint8Array;
  readonly kept: readonly Uint8Array[];
}

function* pieces(source: ProtobufList, { head, kept }: Made, bytesMin: number): Generator<Buffer> {
  let count = 0;
  for (const portion of portions(source.objects, bytesMin)) {
    const parts: Uint8Array[] = count === 0 ? [head] : [];
    for (const object of portion) {
      const message = kept[count] ?? source.encode(object);
      parts.push(listItemHeader(message.length), message);
      count += 1;
    }
    yield Buffer.concat(parts);
  }
  yield protobufListEnd;
}
