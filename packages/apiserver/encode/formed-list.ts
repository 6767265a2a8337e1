import type { Content } from '../request.ts';
import { hasNoEmptyRows } from '../verbs/strategies.ts';
import { listForm } from './list-form.ts';
import { mediaTypes } from './negotiate.ts';
import { portions, type LongList } from './portions.ts';
import { encodeValue, joined } from './print.ts';
import { listParts, type ListParts } from './transform.ts';

type List = Extract<Content, { type: 'list' }>;

/** A list as a Table, as metadata only, as YAML, CBOR or indented JSON: whatever is not the stored bytes, nor protobuf. */
export function wholeList(list: List, nowMs: number, query: URLSearchParams): Buffer {
  const parts = listParts(list, nowMs, query);
  if (list.objects.length > 0) return Buffer.concat([...pieces(list, parts, Infinity)]);
  const { head, field } = parts;
  // Upstream's default table has no list where it has no rows.
  const isNull = field === 'rows' && hasNoEmptyRows(list.resource);
  return encodeValue({ ...head, [field]: isNull ? null : [] }, list.format);
}

/** The same of a long list, piece by piece. Throws NotAcceptable, BadRequest. */
export function longFormed(list: List, nowMs: number, query: URLSearchParams): LongList {
  const parts = listParts(list, nowMs, query);
  return {
    contentType: mediaTypes[list.format.encoding],
    pieces: (bytesMin) => pieces(list, parts, bytesMin),
  };
}

function* pieces({ objects, format }: List, parts: ListParts, bytesMin: number): Generator<Buffer> {
  const form = listForm(parts, format);
  const json = format.encoding === 'json' && !format.pretty ? parts.json : undefined;
  let before = form.before;
  for (const portion of portions(objects, bytesMin)) {
    const written: (string | Uint8Array)[] = [];
    for (const object of portion) {
      written.push(before);
      if (json) written.push(...json(object));
      else written.push(form.item(parts.item(object)));
      before = form.between;
    }
    yield joined(written);
  }
  yield joined([form.after]);
}
