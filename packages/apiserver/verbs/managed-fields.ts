import { formatTime, trackUpdate, type Fields } from '@kubernode/machinery';
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
  if (resource.definition.tracksFields === false) {
    delete object.metadata.managedFields;
    return;
  }
  const entries = trackUpdate({
    live: old,
    updated: object,
    shape: resource.custom?.applyShape ?? resource.shape,
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
const spec = { 'f:spec': {} };

/** What else of metadata does not change along with the status (the strategies' PrepareForUpdate). */
export const keptOfMetadata: Readonly<Record<string, readonly ('labels' | 'ownerReferences')[]>> = {
  'apps/v1 Deployment': ['labels'],
  'v1 Pod': ['ownerReferences'],
};

/** What an endpoint puts back, and so nobody comes to own there. */
export function resetFieldsOf(
  { hasStatus, apiVersion, kind, custom }: ServedResource,
  subresource: string,
): Fields | undefined {
  if (subresource === 'status') {
    if (custom) return { ...spec, 'f:metadata': {} };
    const kept = keptOfMetadata[`${apiVersion} ${kind}`];
    return kept ? { ...spec, 'f:metadata': Object.fromEntries(kept.map((name) => [`f:${name}`, {}])) } : spec;
  }
  if (subresource === 'finalize') return status;
  return hasStatus && subresource === '' ? status : undefined;
}
