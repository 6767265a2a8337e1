import type { Content } from '../request.ts';
import { jsonBytes, jsonLength, passingJson, typeMetaLength } from './forms.ts';
import { measuredItems, sharedItems, type JoinedList, type ListItems } from './list-items.ts';
import { mediaTypes } from './negotiate.ts';
import { portions, type LongList } from './portions.ts';

type List = Extract<Content, { type: 'list' }>;

const [openBrace, comma] = Buffer.from('{,');
const listEnd = Buffer.from(']}\n');

const headOf = ({ resource: { kind, apiVersion }, metadata }: List): Buffer =>
  Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`);

/**
 * So much of each item is left out: a list's items do not repeat kind and version, but for custom objects. The last byte
 * that is left out makes room for the brace that begins the item.
 */
const cutOf = ({ resource }: List): number => (resource.custom ? 0 : typeMetaLength(resource) - 1);

/** The items and the commas between them, from `at` on; answers where they end. */
function join(items: readonly Buffer[], cut: number, into: Buffer, at: number): number {
  let end = at;
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) into[end++] = comma!;
    const copied = items[index]!.copy(into, end, cut);
    if (cut > 0) into[end] = openBrace!;
    end += copied;
  }
  return end;
}

const joinedLength = (items: readonly Buffer[], cut: number): number =>
  items.reduce((sum, item) => sum + item.length - cut, Math.max(0, items.length - 1));

function itemsOf(list: List): ListItems {
  const cut = cutOf(list);
  return measuredItems(
    () => list.objects.map((object) => jsonBytes(object, list.resource)),
    (items) => joinedLength(items, cut) + listEnd.length,
    (items, into) => void listEnd.copy(into, join(items, cut, into, 0)),
  );
}

/** The JSON of a list, of the bytes of its objects. */
export function joinedJson(list: List): JoinedList {
  const items = sharedItems(list, () => itemsOf(list));
  return { contentType: mediaTypes.json, head: headOf(list), items };
}

/** The same of a long list, piece by piece. */
export function longJson(list: List): LongList {
  const length = lengthOf(list);
  return {
    contentType: mediaTypes.json,
    ...(length && { length }),
    pieces: (bytesMin, memory = (bytes) => Buffer.allocUnsafe(bytes)) => pieces(list, bytesMin, memory),
  };
}

/** Undefined where some of the objects are not stored as they are shown. */
function lengthOf(list: List): number | undefined {
  const cut = cutOf(list);
  let length = headOf(list).length + Math.max(0, list.objects.length - 1) + listEnd.length;
  for (const object of list.objects) {
    const own = jsonLength(object, list.resource);
    if (own === undefined) return undefined;
    length += own - cut;
  }
  return length;
}

function* pieces(list: List, bytesMin: number, memory: (length: number) => Buffer): Generator<Buffer> {
  const cut = cutOf(list);
  let before = headOf(list);
  for (const portion of portions(list.objects, bytesMin)) {
    const items = portion.map((object) => passingJson(object, list.resource));
    const piece = memory(before.length + joinedLength(items, cut));
    join(items, cut, piece, before.copy(piece));
    yield piece;
    before = Buffer.of(comma!);
  }
  yield listEnd;
}
