import { encodeJsonText } from '@kubernode/api';
import type { Content, ServerResponse } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { longFormed, wholeList } from './formed-list.ts';
import { jsonBytes, protobufBytes } from './forms.ts';
import { joinedJson, longJson } from './joined-list.ts';
import { joinedParts } from './joined-parts.ts';
import { joinedProtobuf, longProtobuf } from './joined-protobuf.ts';
import { wholeOf, type JoinedList } from './list-items.ts';
import { mediaTypes } from './negotiate.ts';
import type { LongList } from './portions.ts';
import { encodeValue, jsonText, printedShape } from './print.ts';
import { transformed } from './transform.ts';
import { valueOf } from './value.ts';

export interface EncodedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

type Encodable = Extract<Content, { type: 'object' | 'value' | 'list' | 'bytes' }>;
type List = Extract<Content, { type: 'list' }>;

const newline = 0x0a;

/** An answer that is whole, as bytes. Throws NotAcceptable for what has no protobuf form. */
export function encodeAnswer(content: Encodable, nowMs: number, query: URLSearchParams): EncodedAnswer {
  if (content.type === 'bytes') {
    const { bytes, contentType } = content;
    return { contentType, body: typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes) };
  }
  const contentType = mediaTypes[content.format.encoding];
  const body = content.type === 'list' ? encodeList(content, nowMs, query) : encodeOne(content, nowMs, query);
  return { contentType, body };
}

function encodeOne(content: Exclude<Encodable, List | { type: 'bytes' }>, nowMs: number, query: URLSearchParams) {
  const { format } = content;
  const isPlain = format.transform === undefined;
  if (isPlain && format.encoding === 'json' && !format.pretty) return plainJson(content);
  if (isPlain && format.encoding === 'protobuf' && content.type === 'object') {
    return Buffer.from(protobufBytes(content.object, content.resource));
  }
  return encodeValue(isPlain ? valueOf(content) : transformed(content, nowMs, query), format);
}

function plainJson(content: Exclude<Encodable, List | { type: 'bytes' }>): Buffer {
  if (content.type === 'object') return asLine(jsonBytes(content.object, content.resource));
  const { value, resource } = content;
  const isOfResource = resource !== undefined && (value as ApiObject).kind === resource.kind;
  return Buffer.from(
    `${isOfResource ? encodeJsonText(value, resource.shape) : jsonText(value, printedShape(value))}\n`,
  );
}

function asLine(bytes: Buffer): Buffer {
  const line = Buffer.allocUnsafe(bytes.length + 1);
  bytes.copy(line);
  line[bytes.length] = newline;
  return line;
}

function encodeList(list: List, nowMs: number, query: URLSearchParams): Buffer {
  const joined = joinedList(list, nowMs, query);
  return joined ? wholeOf(joined) : wholeList(list, nowMs, query);
}

const isTransformedJson = ({ format }: List): boolean =>
  format.encoding === 'json' && format.transform !== undefined && !format.pretty;

const isPlainJson = ({ format }: List): boolean =>
  format.encoding === 'json' && format.transform === undefined && !format.pretty;

/** Lists of more are sent in pieces; in one piece they cost half as much, as long as they are not huge. */
const wholeBytesMax = 4 * 1024 * 1024;

const isLong = ({ objects }: List): boolean =>
  objects.reduce((sum, { byteLength }) => sum + byteLength, 0) > wholeBytesMax;

/** A list whose length is known before it is made; undefined for all else. Throws NotAcceptable, BadRequest. */
export function joinedList(content: Content, nowMs: number, query: URLSearchParams): JoinedList | undefined {
  if (content.type !== 'list') return undefined;
  if (content.format.encoding === 'protobuf') return joinedProtobuf(content);
  if (isPlainJson(content)) return joinedJson(content);
  return isTransformedJson(content) ? joinedParts(content, nowMs, query) : undefined;
}

/** A list that is too long to be made as a whole; undefined for all else. Throws NotAcceptable, BadRequest. */
export function longList(
  content: Content,
  nowMs: number,
  query: URLSearchParams,
): Promise<LongList> | LongList | undefined {
  if (content.type !== 'list' || !isLong(content)) return undefined;
  // Its reader may be slow.
  for (const object of content.objects) object.isLent = true;
  if (content.format.encoding === 'protobuf') return longProtobuf(content);
  return isPlainJson(content) ? longJson(content) : longFormed(content, nowMs, query);
}

/** An answer as the in-memory transport streams it. */
export function bytesOf(
  response: ServerResponse,
  nowMs: number,
): { headers: Record<string, string>; body: AsyncIterable<Uint8Array> } {
  const { content } = response;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers ?? {})) headers[name] = String(value);
  if (content.type === 'stream') return { headers, body: content.body ?? nothing() };
  if (content.type === 'upgraded' || content.type === 'watch') return { headers, body: nothing() };
  const { contentType, body } = encodeAnswer(content, nowMs, new URLSearchParams());
  return { headers: { ...headers, 'content-type': contentType }, body: once(body) };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
