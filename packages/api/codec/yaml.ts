import { isUtf8 } from 'node:buffer';
import { EVENT_ID, YAMLException, constructFromEvents, dump, parseEvents } from 'js-yaml';
import type { Event } from 'js-yaml';
import { DecodeError } from './decode-error.ts';
import { partsMax, tooManyParts } from './parts.ts';
import { plainJson } from './plain-json.ts';
import { nestingMax } from './reader.ts';
import { kubernetesYaml, printedYaml } from './yaml-schema.ts';

/** As large as a request body may be. */
const yamlBytesMax = 3 * 1024 * 1024;

export interface DecodedYaml {
  /** A JSON value that nobody else holds. */
  readonly value: unknown;
  /** What strict field validation objects to: that a key is `already set in map`, worded as upstream's YAML library does. */
  readonly strictErrors: readonly string[];
}

/**
 * A YAML body → the JSON value of its first document; documents after it are ignored, keys become strings, and the last of
 * repeated keys counts. Throws DecodeError for what is no YAML, is too large, too deep, or grows without measure
 * through aliases, and RequestEntityTooLarge for what has too many parts.
 */
export function decodeYaml(source: string | Uint8Array): DecodedYaml {
  const text = typeof source === 'string' ? source : textOf(source);
  if (text.length > yamlBytesMax) throw failure(`document is larger than ${yamlBytesMax} bytes`);
  const json = plainJson(text);
  if (json) return { value: json, strictErrors: [] };
  try {
    const events = firstDocument(parseEvents(text, { maxDepth: nestingMax }));
    if (events.length > partsMax) throw tooManyParts();
    if (events.length === 0) return { value: null, strictErrors: [] };
    const [value, strictErrors] = construct(text, events);
    if (events.some((event) => event.type === EVENT_ID.ALIAS)) return { value: expand(value), strictErrors };
    return { value, strictErrors };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    if (error instanceof YAMLException) throw failure(explain(error));
    if (error instanceof RangeError) throw failure('exceeded max depth');
    throw error;
  }
}

/** A JSON value as YAML: keys in order, nothing folded, nothing shared. */
export function encodeYaml(value: unknown): string {
  return dump(value, { noRefs: true, sortKeys: true, lineWidth: -1, schema: printedYaml });
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw failure('invalid leading UTF-8 octet');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function firstDocument(events: readonly Event[]): Event[] {
  let depth = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.POP) depth--;
    else if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) depth++;
    if (depth === 0) return events.slice(0, index + 1);
  }
  return [...events];
}

function construct(source: string, events: Event[]): [value: unknown, strictErrors: string[]] {
  const options = { source, schema: kubernetesYaml };
  try {
    return [constructFromEvents(events, options)[0], []];
  } catch (error) {
    if (!(error instanceof YAMLException) || !/duplicated mapping key/.test(error.reason)) throw error;
    const key = source.slice(error.mark?.position ?? 0).match(/^["']?([^\s:"']+)/)?.[1] ?? '';
    const strictErrors = [`line ${lineOf(error)}: key ${JSON.stringify(key)} already set in map`];
    return [constructFromEvents(events, { ...options, json: true })[0], strictErrors];
  }
}

/** Copies what aliases share, so that it is a tree, after its size is known to be sane. */
function expand(value: unknown): unknown {
  if (sizeOf(value, new Map()) > partsMax) throw failure('document contains excessive aliasing');
  return structuredCopy(value);
}

function sizeOf(value: unknown, sizes: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known === -1) throw failure('anchor value contains itself');
  if (known !== undefined) return known;
  sizes.set(value, -1);
  let size = 1;
  for (const item of Object.values(value)) size += sizeOf(item, sizes);
  sizes.set(value, size);
  return size;
}

function structuredCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]));
}

const lineOf = (error: YAMLException) => (error.mark?.line ?? 0) + 1;
const explain = (error: YAMLException) => `line ${lineOf(error)}: ${error.reason}`;
const failure = (why: string) => new DecodeError(`yaml: ${why}`);
