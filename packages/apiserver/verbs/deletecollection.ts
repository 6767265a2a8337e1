import { StatusError } from '@kubernode/api';
import type { Verb } from '../context.ts';
import { preparedContent } from '../encode/prepare.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { warnOfOrphans } from './delete.ts';
import { deleteObject } from './deletion.ts';
import { readDeleteOptions } from './delete-options.ts';
import { pageFor } from './list.ts';
import { listOptions } from './list-options.ts';
import { formatOf } from './respond.ts';

/** DELETE of a collection: one object after the other; what others delete meanwhile is as good. */
export const deleteCollection: Verb = async (call) => {
  const format = formatOf(call);
  const options = await readDeleteOptions(call);
  warnOfOrphans(call, options);
  const { objects, metadata } = await pageFor(call, listOptions(call));
  const { resource } = call;
  const pending = preparedContent({ type: 'list', objects, metadata, resource, format });
  if (pending) await pending;
  const deleted: StoredObject[] = [];
  for (const object of objects) {
    try {
      await deleteObject(call, object.key, object.name, options);
      deleted.push(object);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
    }
  }
  // Lists of custom objects always say how they go on, even if it is nowhere.
  const listed = call.resource.custom && !format.transform ? { continue: '', ...metadata } : metadata;
  return {
    code: 200,
    warnings: call.warnings,
    content: { type: 'list', objects: deleted, metadata: listed, resource, format },
  };
};
