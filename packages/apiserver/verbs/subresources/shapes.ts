import { shapeOf } from '@kubernode/api';
import type { ServedResource } from '../../registry.ts';
import type { Expected } from '../writes/input.ts';

/** What bodies of a subresource are; of the resource itself for ''. */
export function shapeOfSubresource(resource: ServedResource, subresource: string): Expected {
  const info = resource.info.subresources.find(({ name }) => name === subresource);
  if (!info || (info.kind === resource.kind && info.group === undefined)) return resource;
  const group = info.group ?? resource.group;
  const version = info.version ?? resource.version;
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind: info.kind,
    shape: shapeOf(`${group || 'core'}/${version}.${info.kind}`),
  };
}
