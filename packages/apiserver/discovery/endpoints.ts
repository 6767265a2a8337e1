import { scheme, StatusError } from '@kubernode/api';
import type { Call } from '../context.ts';
import { isPretty, mediaTypes, offers, parseAccept, type Encoding } from '../encode/negotiate.ts';
import type { ServerResponse } from '../request.ts';
import { aggregated } from './aggregated.ts';
import { discoveredGroups } from './groups.ts';
import { apiGroup, apiVersions, groupList, resourceList } from './lists.ts';

/** Answers the paths of discovery; undefined for all others. */
export function discovery(call: Call): ServerResponse | undefined {
  const parts = call.route.attributes.path.split('/').filter(Boolean);
  const [root, first, second] = parts;
  const { registry } = call.server;
  if (root === 'api') {
    if (parts.length === 1) return rootOf(call, true);
    const version = parts.length === 2 && first ? registry.group('')?.versions.get(first) : undefined;
    if (parts.length === 2 && !version) throw notServed();
    return version && plain(call, resourceList('', version));
  }
  if (root !== 'apis' || parts.length > 3) return undefined;
  if (first === undefined) return rootOf(call, false);
  if (second === undefined) {
    const group = discoveredGroups(call.server).find(({ name }) => name === first);
    return group && plain(call, apiGroup(group));
  }
  const group = registry.group(first);
  const version = group?.versions.get(second);
  const isBuiltIn = scheme.groups.some((each) => each.group === first);
  if (group && !version && isBuiltIn) throw notServed();
  return version && plain(call, resourceList(first, version));
}

/** Of versions that a built-in group does not have; paths of other groups are nobody's. */
const notServed = () => StatusError.of('NotFound', 'the server could not find the requested resource', {});

function rootOf(call: Call, core: boolean): ServerResponse {
  const { server, request } = call;
  const encoding = aggregatedEncoding(request.headers['accept']);
  if (!encoding) return plain(call, core ? apiVersions(server.address()) : groupList(discoveredGroups(server)));
  const { value, text, etag } = aggregated(server, core);
  const contentType = `${mediaTypes[encoding]};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (request.headers['if-none-match'] === etag) {
    return { code: 304, headers, content: { type: 'stream', body: undefined } };
  }
  const pretty = isPretty(request.query, request.headers['user-agent']);
  if (encoding === 'json' && !pretty) {
    return { code: 200, headers, content: { type: 'bytes', contentType, bytes: text } };
  }
  const content = { type: 'value', value, format: { encoding, pretty } } as const;
  return { code: 200, headers: { ...headers, 'content-type': contentType }, content };
}

/**
 * Clients name the forms that they know, the best first; the first that is served counts. Undefined where that is the
 * plain one, or none: `negotiate` refuses then.
 */
function aggregatedEncoding(accept: string | undefined): Encoding | undefined {
  if (!accept?.includes('as=APIGroupDiscoveryList')) return undefined;
  for (const { mediaType, parameters } of parseAccept(accept)) {
    const encoding = encodings.find((each) => mediaTypes[each] === mediaType);
    if (parameters['as'] === undefined && (encoding || mediaType.startsWith('*/'))) return undefined;
    const { g, v, as } = parameters;
    if (encoding && as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return encoding;
  }
  return undefined;
}

const encodings: readonly Encoding[] = ['json', 'yaml', 'protobuf'];

const listings = offers();

function plain(call: Call, value: unknown): ServerResponse {
  const { query, headers: sent } = call.request;
  const { encoding } = listings(call.server.servesCbor).negotiate(sent['accept']);
  const format = { encoding, pretty: isPretty(query, sent['user-agent']) };
  return { code: 200, content: { type: 'value', value, format } };
}
