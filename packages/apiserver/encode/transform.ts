import { StatusError } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { defaultOf } from '../verbs/strategies.ts';
import type { ListFrame } from './list-form.ts';
import { partialJson, rowJson, type JsonParts } from './json-items.ts';
import { includeObjectOf, partialOf, rowOf, tableHead, tableOf, type TableOptions } from './table.ts';
import { passingIn, valueOf } from './value.ts';

type Transformable = Extract<Content, { type: 'object' | 'value' }>;
type List = Extract<Content, { type: 'list' }>;

/** An answer as a Table or as metadata only. What is no object of a resource (a Status) stays as it is. */
export function transformed(content: Transformable, nowMs: number, query: URLSearchParams): unknown {
  const { format, resource } = content;
  const value = valueOf(content) as ApiObject;
  if (!resource || (value.kind !== resource.kind && value.kind !== 'Scale')) return value;
  const version = format.transformVersion ?? 'v1';
  switch (format.transform) {
    case 'Table': {
      const metadata = { resourceVersion: value.metadata.resourceVersion ?? '' };
      return tableOf(resource, [value], metadata, { include: includeObjectOf(query), version, nowMs });
    }
    case 'PartialObjectMetadata':
      return partialOf(resource, value, version);
    default:
      throw wrongTransform('an object', 'PartialObjectMetadata');
  }
}

/** A list as its format wants it: all but its items, and each of them, which is decoded when it is asked for. */
export interface ListParts extends ListFrame {
  readonly item: (object: StoredObject) => unknown;
  /** The same as compact JSON, where that takes less than the value. */
  readonly json?: (object: StoredObject) => JsonParts;
}

/** Throws NotAcceptable, BadRequest. */
export function listParts(list: List, nowMs: number, query: URLSearchParams): ListParts {
  const { resource, metadata, objects, format } = list;
  const version = format.transformVersion ?? 'v1';
  const count = objects.length;
  switch (format.transform) {
    case 'Table':
      return { ...tableParts(list, { include: includeObjectOf(query), version, nowMs }), count };
    case 'PartialObjectMetadata':
      throw wrongTransform('a list', 'PartialObjectMetadataList');
    case 'PartialObjectMetadataList': {
      const head = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata };
      return {
        head,
        field: 'items',
        count,
        item: (object) => partialOf(resource, passingIn(object, resource), version),
        json: (object) => partialJson(object, resource, version),
      };
    }
    default: {
      const head = { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata };
      const item = (object: StoredObject) => withoutType(passingIn(object, resource));
      return { head, field: 'items', count, item: resource.custom ? (object) => passingIn(object, resource) : item };
    }
  }
}

/** A list's items do not repeat kind and version, but for custom objects. */
const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...item }: ApiObject): unknown => item;

/** The rows of longer lists are not kept: there would be no room for others. */
const keptRowsMax = 1_000;

function tableParts({ resource, metadata, objects }: List, options: TableOptions): Omit<ListParts, 'count'> {
  const marked = defaultOf(resource, passing(resource, objects));
  const keeps = objects.length <= keptRowsMax;
  const isMarked = (stored: StoredObject) => marked !== undefined && stored.name === marked;
  return {
    head: tableHead(resource, metadata, options.version),
    field: 'rows',
    item: (stored) => rowOf(resource, passingIn(stored, resource), options, isMarked(stored)),
    json: (stored) => rowJson(stored, resource, { ...options, isMarked: isMarked(stored), keeps }),
  };
}

function* passing(resource: List['resource'], objects: readonly StoredObject[]): Generator<ApiObject> {
  for (const object of objects) yield passingIn(object, resource);
}

function wrongTransform(what: string, expected: string): StatusError {
  return StatusError.of('NotAcceptable', `${what} is only served as ${expected} or Table`);
}
