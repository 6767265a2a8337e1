import { StatusError } from '@kubernode/api';
import type { Verb } from '../context.ts';
import { preparedContent } from '../encode/prepare.ts';
import { warnOfOrphans } from './delete.ts';
import { deleteObject } from './writes/deletion.ts';
import { readDeleteOptions } from './options/delete-options.ts';
import { pageFor } from './list.ts';
import { listOptions, type ListOptions } from './options/list-options.ts';
import { formatOf } from './respond.ts';

/** What is deleted is listed in pages, and pages are of the version that is asked for. */
function asPages(options: ListOptions): ListOptions {
  const { resourceVersion, resourceVersionMatch } = options;
  const isExact = resourceVersionMatch === '' && resourceVersion !== '' && resourceVersion !== '0';
  return isExact ? { ...options, resourceVersionMatch: 'Exact' } : options;
}

/** DELETE of a collection: one object after the other; what others delete meanwhile is as good. */
export const deleteCollection: Verb = async (call) => {
  const format = formatOf(call);
  const options = await readDeleteOptions(call);
  warnOfOrphans(call, options);
  const { objects, metadata } = await pageFor(call, asPages(listOptions(call)));
  const { resource } = call;
  const pending = preparedContent({ type: 'list', objects, metadata, resource, format });
  if (pending) await pending;
  for (const object of objects) {
    try {
      await deleteObject(call, object.key, object.name, options);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
    }
  }
  // Lists of custom objects always say how they go on, even if it is nowhere.
  const listed = call.resource.custom && !format.transform ? { continue: '', ...metadata } : metadata;
  return {
    code: 200,
    warnings: call.warnings,
    content: { type: 'list', objects, metadata: listed, resource, format },
  };
};
