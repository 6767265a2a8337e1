import { IPAddress } from '../../generated/types/networking/v1.ts';
import type { ParentReference } from '../../generated/types/networking/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const ipAddress = define(IPAddress, {
  row: (object, nowMs) => [object.metadata.name, parentCell(object.spec.parentRef), age(object, nowMs)],
});

/** `services/default/kubernetes`, with the group in front where there is one. */
function parentCell({ group, resource, namespace, name }: ParentReference = {}): string {
  const path = [resource, namespace, name].filter(Boolean).join('/');
  return group ? `${resource}.${group}/${[namespace, name].filter(Boolean).join('/')}` : path;
}
