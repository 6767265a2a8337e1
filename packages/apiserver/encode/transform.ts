import { StatusError } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { includeObjectOf, partialOf, tableOf } from './table.ts';
import { passingIn, valueOf } from './value.ts';

type Transformable = Extract<Content, { type: 'object' | 'value' | 'list' }>;
type List = Extract<Content, { type: 'list' }>;

/** An answer as a Table or as metadata only. What is no object of a resource (a Status) stays as it is. */
export function transformed(content: Transformable, nowMs: number, query: URLSearchParams): unknown {
  const { format } = content;
  if (content.type === 'list' && content.objects.length > togetherMax) return transformedInParts(content, nowMs, query);
  const objects = objectsOf(content);
  if (!objects || !content.resource) return valueOf(content);
  const version = format.transformVersion ?? 'v1';
  const metadata =
    content.type === 'list' ? content.metadata : { resourceVersion: objects[0]?.metadata.resourceVersion ?? '' };
  switch (format.transform) {
    case 'Table':
      return tableOf(content.resource, objects, metadata, {
        include: includeObjectOf(query),
        version,
        nowMs,
        isList: content.type === 'list',
      });
    case 'PartialObjectMetadata':
      if (content.type === 'list') throw wrongTransform('a list', 'PartialObjectMetadataList');
      return partialOf(content.resource, objects[0]!, version);
    case 'PartialObjectMetadataList': {
      if (content.type !== 'list') throw wrongTransform('an object', 'PartialObjectMetadata');
      const { resource } = content;
      const items = objects.map((object) => partialOf(resource, object, version));
      return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata, items };
    }
    default:
      return valueOf(content);
  }
}

/** So many objects are decoded at a time: of a long list, only rows and metadata are in memory as a whole. */
const togetherMax = 500;

function transformedInParts(list: List, nowMs: number, query: URLSearchParams): unknown {
  const parts: { readonly rows?: readonly unknown[]; readonly items?: readonly unknown[] }[] = [];
  for (let at = 0; at < list.objects.length; at += togetherMax) {
    const part = { ...list, objects: list.objects.slice(at, at + togetherMax) };
    parts.push(transformed(part, nowMs, query) as (typeof parts)[number]);
  }
  const [first] = parts;
  if (first?.rows) return { ...first, rows: parts.flatMap(({ rows }) => rows ?? []) };
  return { ...first, items: parts.flatMap(({ items }) => items ?? []) };
}

function objectsOf(content: Transformable): readonly ApiObject[] | undefined {
  if (content.type === 'list') return content.objects.map((object) => passingIn(object, content.resource));
  const value = valueOf(content) as ApiObject;
  return value.kind === content.resource?.kind || value.kind === 'Scale' ? [value] : undefined;
}

function wrongTransform(what: string, expected: string): StatusError {
  return StatusError.of('NotAcceptable', `${what} is only served as ${expected} or Table`);
}
