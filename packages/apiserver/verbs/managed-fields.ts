import { formatTime, trackUpdate } from '@kubernode/machinery';
import type { ResourceCall } from '../context.ts';
import type { ServedResource } from '../registry.ts';
import type { ApiObject } from '../storage/encoding.ts';

/** Notes in `metadata.managedFields` which manager set what. `old` is undefined at creation. */
export function ownFields(
  { resource, server }: ResourceCall,
  object: ApiObject,
  old: ApiObject | undefined,
  manager: string,
  subresource: string,
): void {
  const entries = trackUpdate({
    live: old,
    updated: object,
    shape: resource.shape,
    manager,
    apiVersion: resource.apiVersion,
    nowTime: formatTime(server.clock.now()),
    subresource,
    resetFields: resetFieldsOf(resource, subresource),
  });
  if (entries) object.metadata.managedFields = entries as typeof object.metadata.managedFields & {};
  else delete object.metadata.managedFields;
}

const status = { 'f:status': {} };
const allButStatus = { 'f:spec': {} };

/** What an endpoint puts back, and so nobody comes to own there. */
export function resetFieldsOf({ hasStatus }: ServedResource, subresource: string) {
  if (subresource === 'status') return allButStatus;
  return hasStatus && subresource === '' ? status : undefined;
}
