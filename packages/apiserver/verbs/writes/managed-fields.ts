import { formatTime, trackUpdate } from '@kubernode/machinery';
import type { ResourceCall } from '../../context.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import type { Expected } from './input.ts';
import { managerOf, type WriteOptions } from '../options/options.ts';
import { resetFieldsOf } from '../strategies.ts';

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

/** The same of an object that is answered or acted upon, and not stored. */
export function ownAsCreated(
  { request, server, route }: ResourceCall,
  object: ApiObject,
  { apiVersion, shape }: Expected,
  options: WriteOptions,
  blank?: Readonly<Record<string, unknown>>,
): void {
  const entries = trackUpdate({
    live: undefined,
    blank,
    updated: object,
    shape,
    manager: managerOf(options, request.headers['user-agent']),
    apiVersion,
    nowTime: formatTime(server.clock.now()),
    subresource: route.attributes.subresource,
  });
  if (entries) object.metadata.managedFields = entries as typeof object.metadata.managedFields & {};
}
