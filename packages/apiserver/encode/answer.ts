import { encodeCbor, encodeJsonText, encodeProtobufList, encodeYaml, StatusError } from '@kubernode/api';
import { parseJsonExactly } from '@kubernode/machinery';
import type { Content, ServerResponse } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { jsonBytes, shapeOfValue, protobufBytes, protobufMessage, protobufOfValue } from './forms.ts';
import { JoinedList } from './joined-list.ts';
import { JoinedProtobuf } from './joined-protobuf.ts';
import { mediaTypes, type OutputFormat } from './negotiate.ts';
import { transformed } from './transform.ts';
import { valueOf } from './value.ts';

export interface EncodedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

type Encodable = Extract<Content, { type: 'object' | 'value' | 'list' | 'bytes' }>;

const newline = Buffer.from('\n');

/** An answer that is whole, as bytes. Throws NotAcceptable for what has no protobuf form. */
export function encodeAnswer(content: Encodable, nowMs: number, query: URLSearchParams): EncodedAnswer {
  if (content.type === 'bytes') {
    const { bytes, contentType } = content;
    return { contentType, body: typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes) };
  }
  const { format } = content;
  const contentType = mediaTypes[format.encoding];
  const plain = format.transform === undefined;
  if (plain && format.encoding === 'json' && !format.pretty) return { contentType, body: plainJson(content) };
  if (plain && format.encoding === 'protobuf') return { contentType, body: protobuf(content) };
  const value = plain ? withoutItemTypes(content) : transformed(content, nowMs, query);
  return { contentType, body: encodeValue(value, format) };
}

/** A value in the encoding of a format. */
export function encodeValue(value: unknown, format: OutputFormat): Buffer {
  if (format.encoding === 'yaml') {
    return Buffer.from(encodeYaml(parseJsonExactly(jsonText(value))));
  }
  if (format.encoding === 'cbor') return Buffer.from(encodeCbor(value, printedShape(value)));
  if (format.encoding === 'protobuf') {
    const bytes = protobufOfValue(value);
    if (!bytes)
      throw StatusError.of(
        'NotAcceptable',
        'the object has no protobuf form: only application/json and application/yaml are served',
      );
    return Buffer.from(bytes);
  }
  const text = jsonText(value);
  return Buffer.from(format.pretty ? JSON.stringify(parseJsonExactly(text), null, 2) : `${text}\n`);
}

/** As its kind prints it: lists that are always there, but empty, are null. */
/** The shape that says how a value is printed; a Table's rows are there even if there are none. */
export function printedShape(value: unknown) {
  const { apiVersion = '' } = (value ?? {}) as { apiVersion?: string };
  return apiVersion.startsWith('meta.k8s.io/') ? undefined : shapeOfValue(value);
}

function jsonText(value: unknown): string {
  const shape = printedShape(value);
  return shape ? encodeJsonText(value, shape) : JSON.stringify(value);
}

function withoutItemTypes(content: Exclude<Encodable, { type: 'bytes' }>): unknown {
  const value = valueOf(content);
  if (content.type !== 'list') return value;
  const list = value as { items: readonly ApiObject[] };
  if (content.resource.custom) return list;
  return { ...list, items: list.items.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item) };
}

function plainJson(content: Exclude<Encodable, { type: 'bytes' }>): Buffer {
  if (content.type === 'object') return Buffer.concat([jsonBytes(content.object, content.resource), newline]);
  if (content.type === 'value') {
    const { value, resource } = content;
    const isOfResource = resource !== undefined && (value as ApiObject).kind === resource.kind;
    return Buffer.from(`${isOfResource ? encodeJsonText(value, resource.shape) : jsonText(value)}\n`);
  }
  return new JoinedList(content).whole();
}

/** A list that need not be in memory as a whole: one in plain JSON, or a long one in protobuf; undefined for all else. */
export function joinedList(content: Content): JoinedList | JoinedProtobuf | undefined {
  if (content.type !== 'list') return undefined;
  const { encoding, transform, pretty } = content.format;
  if (transform !== undefined || pretty) return undefined;
  if (encoding === 'protobuf' && isLong(content)) return new JoinedProtobuf(content);
  return encoding === 'json' ? new JoinedList(content) : undefined;
}

/** The messages of longer lists are not kept with their objects: they would take as much memory once more. */
const keptMessagesMax = 1_000;
const keptMessageBytesMax = 4 * 1024 * 1024;

function isLong({ objects }: Extract<Content, { type: 'list' }>): boolean {
  if (objects.length > keptMessagesMax) return true;
  return objects.reduce((sum, { byteLength }) => sum + byteLength, 0) > keptMessageBytesMax;
}

function protobuf(content: Exclude<Encodable, { type: 'bytes' }>): Buffer {
  if (content.type === 'object') return Buffer.from(protobufBytes(content.object, content.resource));
  if (content.type === 'value') return encodeValue(content.value, content.format);
  if (isLong(content)) return new JoinedProtobuf(content).whole();
  const { resource, objects, metadata } = content;
  const messages = objects.map((object) => protobufMessage(object, resource));
  const type = { apiVersion: resource.apiVersion, kind: `${resource.kind}List` };
  return Buffer.from(encodeProtobufList(metadata, messages, type));
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
