import { encodeCborEvent, encodeWatchFrame, StatusError } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import { jsonBytes, protobufBytes, protobufOfValue } from './forms.ts';
import { partialJson } from './json-items.ts';
import { cborSequence, mediaTypes, type OutputFormat } from './negotiate.ts';
import { encodeValue, joined, printedShape } from './print.ts';
import { bookmarkTable, includeObjectOf, partialOf, tableOf } from './table.ts';
import { bookmarkObject, objectIn } from './value.ts';

const jsonHead = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
};
const jsonTail = Buffer.from('}\n');

export function watchContentType({ encoding }: OutputFormat): string {
  if (encoding === 'cbor') return cborSequence;
  return encoding === 'json' ? mediaTypes.json : `${mediaTypes[encoding]};stream=watch`;
}

interface Batch {
  readonly items: readonly WatchItem[];
  readonly bytes: Buffer;
}

/** What was last told to a watch of each resource, in each form: most likely it is told to others next. */
const latestBatches = new WeakMap<ServedResource, Map<string, Batch>>();

function latestOf(resource: ServedResource): Map<string, Batch> {
  const known = latestBatches.get(resource);
  if (known) return known;
  const batches = new Map<string, Batch>();
  latestBatches.set(resource, batches);
  return batches;
}

/** What a form is known by to other watches; a Table's rows have the age of an object, and columns only once. */
function sharedForm({ encoding, transform, transformVersion = 'v1' }: OutputFormat): string | undefined {
  if (transform === 'Table') return undefined;
  return transform ? `${encoding} ${transform} ${transformVersion}` : encoding;
}

/** More than that is not held for others. */
const sharedBytesMax = 1024 * 1024;

function areSame(a: readonly WatchItem[], b: readonly WatchItem[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    const one = a[index]!;
    const other = b[index]!;
    if (one.type === 'BOOKMARK' || other.type === 'BOOKMARK') return false;
    if (one.object !== other.object || one.type !== other.type) return false;
  }
  return true;
}

/** Encodes one watch's events, batch by batch; the objects' bytes are those that all watches share. */
export class WatchEncoder {
  readonly #resource: ServedResource;
  readonly #format: OutputFormat;
  readonly #form: string | undefined;
  readonly #query: URLSearchParams;
  readonly #now: () => number;
  #columnsSent = false;

  constructor(resource: ServedResource, format: OutputFormat, query: URLSearchParams, now: () => number) {
    this.#resource = resource;
    this.#format = format;
    this.#form = sharedForm(format);
    this.#query = query;
    this.#now = now;
  }

  batch(items: readonly WatchItem[]): Buffer {
    const form = this.#form;
    const latest = form && latestOf(this.#resource).get(form);
    if (latest && areSame(latest.items, items)) return latest.bytes;
    const parts: (string | Uint8Array)[] = [];
    for (const item of items) this.#frame(item, parts);
    const bytes = joined(parts);
    if (form && bytes.length <= sharedBytesMax) latestOf(this.#resource).set(form, { items, bytes });
    return bytes;
  }

  /** The last event of a watch that cannot go on. */
  error(error: unknown): Buffer {
    const { status } = StatusError.from(error);
    if (this.#format.encoding === 'cbor') return Buffer.from(encodeCborEvent('ERROR', status, printedShape(status)));
    if (this.#format.encoding !== 'protobuf')
      return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    return Buffer.from(encodeWatchFrame('ERROR', protobufOfValue(status) ?? new Uint8Array()));
  }

  #frame(item: WatchItem, parts: (string | Uint8Array)[]): void {
    const { encoding, transform, transformVersion = 'v1' } = this.#format;
    // A list is no form of one object: there is nothing to say.
    if (transform === 'PartialObjectMetadataList') return;
    if (encoding === 'cbor') {
      const value = this.#value(item);
      parts.push(encodeCborEvent(item.type, value, printedShape(value)));
      return;
    }
    if (!transform && item.type !== 'BOOKMARK') {
      if (encoding === 'protobuf') parts.push(encodeWatchFrame(item.type, protobufBytes(item.object, this.#resource)));
      else parts.push(jsonHead[item.type], jsonBytes(item.object, this.#resource), jsonTail);
      return;
    }
    if (transform === 'PartialObjectMetadata' && encoding === 'json' && item.type !== 'BOOKMARK') {
      parts.push(jsonHead[item.type], ...partialJson(item.object, this.#resource, transformVersion), jsonTail);
      return;
    }
    const value = this.#value(item);
    if (encoding === 'protobuf') parts.push(encodeWatchFrame(item.type, encodeValue(value, this.#format)));
    else parts.push(jsonHead[item.type], JSON.stringify(value), jsonTail);
  }

  #value(item: WatchItem): unknown {
    const { transform, transformVersion: version = 'v1' } = this.#format;
    const isBookmark = item.type === 'BOOKMARK';
    const object = isBookmark ? bookmarkObject(item, this.#resource) : objectIn(item.object, this.#resource);
    if (transform === 'PartialObjectMetadata') return partialOf(this.#resource, object as never, version);
    if (transform !== 'Table') return object;
    const include = includeObjectOf(this.#query);
    if (isBookmark) {
      const shown =
        include === 'None' ? null : include === 'Object' ? object : partialOf(this.#resource, object as never, version);
      return bookmarkTable(this.#resource, shown, String(item.revision), version);
    }
    const metadata = { resourceVersion: String(item.object.revision) };
    const table = tableOf(this.#resource, [object as never], metadata, { include, version, nowMs: this.#now() });
    if (this.#columnsSent) return { ...(table as object), columnDefinitions: null };
    this.#columnsSent = true;
    return table;
  }
}
