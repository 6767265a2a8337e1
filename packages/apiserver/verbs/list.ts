import { StatusError, type FieldCause } from '@kubernode/api';
import type { ResourceCall, Verb } from '../context.ts';
import { decodeToken } from '../storage/continue-token.ts';
import { listAt, listNow, type ListPage } from '../storage/list.ts';
import { readAhead } from '../storage/read-ahead.ts';
import { minimumRevision, parseRevision } from '../storage/revision.ts';
import { checkAllReadable } from '../storage/unreadable.ts';
import { listOptions, type ListOptions } from './options/list-options.ts';
import { formatOf } from './respond.ts';

/** GET of a collection. */
export const list: Verb = async (call) => {
  const format = formatOf(call);
  const options = listOptions(call);
  checkListOptions(options);
  const page = await pageFor(call, options);
  const { objects } = page;
  // Lists of custom objects always say how they go on, even if it is nowhere.
  const metadata = call.resource.custom && !format.transform ? { continue: '', ...page.metadata } : page.metadata;
  return {
    code: 200,
    warnings: call.warnings,
    content: { type: 'list', objects, metadata, resource: call.resource, format },
  };
};

/** The objects that a list's options ask for. Throws Expired, Timeout, BadRequest. */
export async function pageFor(call: ResourceCall, options: ListOptions): Promise<ListPage> {
  const { server, resource } = call;
  const { watchCache, store } = server;
  const { selection, isSelective, limit } = options;
  // "Any version will do" is served whole, whatever the limit.
  const isAny = options.resourceVersion === '0' && options.resourceVersionMatch !== 'Exact';
  if (resource.cache.lost) {
    const tellsCorrupt = server.isEnabled('AllowUnsafeMalformedObjectDeletion');
    checkAllReadable(resource.cache, selection.namespace, resource, tellsCorrupt);
  }
  const request = { cache: resource.cache, selection, isSelective, limit: isAny ? 0 : limit, after: '' };
  if (options.continueToken) {
    const { revision, after } = decodeToken(options.continueToken);
    const rest = { ...request, after };
    await readAhead(rest);
    return revision < 0 ? listNow(rest, watchCache.revision) : listAt(rest, revision, store, watchCache);
  }
  await minimumRevision(watchCache, options.resourceVersion);
  await readAhead(request);
  const exact = isExact(options) ? parseRevision(options.resourceVersion) : undefined;
  return exact === undefined ? listNow(request, watchCache.revision) : listAt(request, exact, store, watchCache);
}

/** A page at a version is a page of that version, even if nobody said so (the legacy of clients without a match). */
function isExact({ resourceVersion, resourceVersionMatch: match, limit }: ListOptions): boolean {
  return match === 'Exact' || (match === '' && limit > 0 && resourceVersion !== '' && resourceVersion !== '0');
}

/** Which options go together (ValidateListOptions). Throws Invalid, BadRequest. */
function checkListOptions(options: ListOptions): void {
  const { resourceVersion, resourceVersionMatch: match, continueToken } = options;
  const causes: FieldCause[] = [];
  if (match) {
    if (!resourceVersion) causes.push(forbiddenMatch('is forbidden unless resourceVersion is provided'));
    if (continueToken) causes.push(forbiddenMatch('is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
      causes.push({ reason: 'FieldValueNotSupported', message, field: 'resourceVersionMatch' });
    } else if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: sendInitialEvents is forbidden for list',
      field: 'sendInitialEvents',
    });
  }
  if (causes.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  if (continueToken && resourceVersion && resourceVersion !== '0') {
    throw StatusError.badRequest('specifying resource version is not allowed when using continue');
  }
}

const forbiddenMatch = (why: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field: 'resourceVersionMatch',
});
