import type { ResourceCall, Verb } from '../context.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { readDeleteOptions } from './delete-options.ts';
import { deleteObject } from './deletion.ts';
import { keyOf } from './get.ts';
import { formatOf, respondValue, respondWritten } from './respond.ts';

/** DELETE of one object. */
export const deleteOne: Verb = async (call) => {
  const format = formatOf(call);
  const options = await readDeleteOptions(call);
  const { name } = call.route.attributes;
  const { gone, object } = await deleteObject(call, keyOf(call), name, options);
  if (!gone || call.resource.definition.deleteReturnsObject) {
    return respondWritten(call, object, format, codeOf(gone, options));
  }
  const { metadata } = object instanceof StoredObject ? object.object : object;
  return respondValue(call, successOf(call, name, metadata.uid ?? ''), { ...format, transform: undefined });
};

/** A cascading deletion that was asked for and is still to come is 202. */
function codeOf(gone: boolean, { orphanDependents, propagationPolicy }: DeleteOptions): number {
  return !gone && (orphanDependents === false || propagationPolicy === 'Foreground') ? 202 : 200;
}

function successOf({ resource }: ResourceCall, name: string, uid: string): unknown {
  const group = resource.group ? { group: resource.group } : {};
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...group, kind: resource.plural, uid },
  };
}
