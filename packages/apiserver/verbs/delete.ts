import type { ResourceCall, Verb } from '../context.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { readDeleteOptions, type DeleteOptions } from './options/delete-options.ts';
import { deleteObject } from './writes/deletion.ts';
import { keyOf } from './get.ts';
import { formatOf, respondValue, respondWritten } from './respond.ts';
import { returnsDeleted } from './strategies.ts';

/** DELETE of one object. */
export const deleteOne: Verb = async (call) => {
  const format = formatOf(call);
  const options = await readDeleteOptions(call);
  const { name } = call.route.attributes;
  warnOfOrphans(call, options);
  const { gone, object } = await deleteObject(call, keyOf(call), name, options);
  if (!gone || returnsDeleted(call.resource)) {
    return respondWritten(call, object, format, !gone && options.orphanDependents === false ? 202 : 200);
  }
  const { metadata } = object instanceof StoredObject ? object.object : object;
  return respondValue(call, successOf(call, name, metadata.uid ?? ''), { ...format, transform: undefined });
};

/** Jobs are the one kind of batch whose dependents stay unless told otherwise (batch/job/storage). */
export function warnOfOrphans({ resource, warnings }: ResourceCall, options: DeleteOptions): void {
  if (resource.group !== 'batch' || resource.plural !== 'jobs') return;
  if (options.propagationPolicy !== undefined || options.orphanDependents !== undefined) return;
  warnings.push(
    'child pods are preserved by default when jobs are deleted; ' +
      'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
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
