import type { ResourceCall } from '../context.ts';
import type { ApiObject } from '../storage/encoding.ts';

/** Notes in `metadata.managedFields` which manager set what. `old` is undefined at creation. */
export function ownFields(
  _call: ResourceCall,
  object: ApiObject,
  old: ApiObject | undefined,
  _manager: string,
  _subresource: string,
): void {
  if (old?.metadata.managedFields) object.metadata.managedFields = old.metadata.managedFields;
}
