import { StatusError } from '@kubernode/api';
import type { Content } from '../request.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { includeObjectOf, partialOf, tableOf } from './table.ts';
import { objectIn, valueOf } from './value.ts';

type Transformable = Extract<Content, { type: 'object' | 'value' | 'list' }>;

/** An answer as a Table or as metadata only. What is no object of a resource (a Status) stays as it is. */
export function transformed(content: Transformable, nowMs: number, query: URLSearchParams): unknown {
  const { format } = content;
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

function objectsOf(content: Transformable): readonly ApiObject[] | undefined {
  if (content.type === 'list') return content.objects.map((object) => objectIn(object, content.resource));
  const value = valueOf(content) as ApiObject;
  return value.kind === content.resource?.kind || value.kind === 'Scale' ? [value] : undefined;
}

function wrongTransform(what: string, expected: string): StatusError {
  return StatusError.of('NotAcceptable', `${what} is only served as ${expected} or Table`);
}
