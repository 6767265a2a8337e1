import type { Call } from '../context.ts';
import { isPretty, negotiate } from '../encode/negotiate.ts';
import type { ServerResponse } from '../request.ts';
import { aggregated, aggregatedContentType } from './aggregated.ts';
import { apiGroup, apiVersions, groupList, resourceList } from './lists.ts';

/** Answers the paths of discovery; undefined for all others. */
export function discovery(call: Call): ServerResponse | undefined {
  const parts = call.route.attributes.path.split('/').filter(Boolean);
  const [root, first, second] = parts;
  const { registry } = call.server;
  if (root === 'api') {
    if (parts.length === 1) return rootOf(call, true);
    const version = parts.length === 2 && first ? registry.group('')?.versions.get(first) : undefined;
    return version && plain(call, resourceList('', version));
  }
  if (root !== 'apis' || parts.length > 3) return undefined;
  if (first === undefined) return rootOf(call, false);
  const group = first === '' ? undefined : registry.group(first);
  if (!group) return undefined;
  if (second === undefined) return plain(call, apiGroup(group));
  const version = group.versions.get(second);
  return version && plain(call, resourceList(first, version));
}

function rootOf(call: Call, core: boolean): ServerResponse {
  const { accept } = call.request.headers;
  const wanted = accept?.includes('APIGroupDiscoveryList') ? firstServed(accept) : undefined;
  if (wanted !== 'aggregated') {
    return plain(call, core ? apiVersions(call.server.address()) : groupList(call.server.registry));
  }
  const { text, etag } = aggregated(call.server.registry, core);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (call.request.headers['if-none-match'] === etag) {
    return { code: 304, headers, content: { type: 'stream', body: undefined } };
  }
  return { code: 200, headers, content: { type: 'bytes', contentType: aggregatedContentType, bytes: text } };
}

/** Clients name the aggregated forms that they know, then the plain one: the first that is served counts. */
function firstServed(accept: string): 'aggregated' | undefined {
  for (const clause of accept.split(',').map((text) => text.replaceAll(' ', ''))) {
    if (!clause.includes('as=APIGroupDiscoveryList')) return undefined;
    if (clause.includes('v=v2;') || clause.endsWith('v=v2')) return 'aggregated';
  }
  return undefined;
}

function plain(call: Call, value: unknown): ServerResponse {
  const { query, headers: sent } = call.request;
  const { encoding } = negotiate(sent['accept']);
  const format = { encoding, pretty: isPretty(query, sent['user-agent']) };
  return { code: 200, content: { type: 'value', value, format } };
}
