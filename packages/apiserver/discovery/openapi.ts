import {
  createOpenApiDocuments,
  type GroupVersion,
  type GroupVersions,
  type OpenApiDocuments,
  type OpenApiForm,
  type OpenApiResource,
} from '@kubernode/api';
import { proxyToExtension } from '../aggregation/proxy.ts';
import type { Call, ServerContext } from '../context.ts';
import { parseAccept } from '../encode/negotiate.ts';
import { discoveryGeneration } from './groups.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ServerResponse } from '../request.ts';
import { releaseVersion } from '../version.ts';

const made = new WeakMap<ResourceRegistry, OpenApiDocuments>();
const yearMs = 365 * 24 * 3_600_000;

/** /openapi/v2 and /openapi/v3; undefined for all other paths. Documents are made when they are asked for. */
export function openApi(call: Call): Promise<ServerResponse> | ServerResponse | undefined {
  const { path } = call.route.attributes;
  if (!path.startsWith('/openapi/')) return undefined;
  const documents = documentsOf(call);
  if (path === '/openapi/v2') return version2(call, documents);
  if (path === '/openapi/v3' || path === '/openapi/v3/') return index(call, documents);
  if (!path.startsWith('/openapi/v3/')) return undefined;
  const document = path.slice('/openapi/v3/'.length);
  return ofExtension(call, document) ?? version3(call, documents, document);
}

function version2(call: Call, documents: OpenApiDocuments): ServerResponse {
  const vary = ['Accept-Encoding', 'Accept'];
  const form = formOf(call, 2);
  if (!form) return empty(406, { vary });
  const { bytes, contentType, hash } = documents.v2(form);
  return answer(call, bytes, contentType, { etag: `"${hash}"`, vary });
}

/** Whatever is accepted, it is JSON, called text. */
function index({ server }: Call, documents: OpenApiDocuments): ServerResponse {
  const own = [...documents.v3Index()].map(([path, hash]) => [path, addressOf(path, hash)] as const);
  const others = server.aggregation.remotes.flatMap(({ openApi: published }) => [...(published?.version3 ?? [])]);
  const addresses = [...new Map([...own, ...others])].sort(([a], [b]) => (a < b ? -1 : 1));
  const paths = addresses.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }]);
  const bytes = JSON.stringify({ paths: Object.fromEntries(paths) });
  return { code: 200, content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes } };
}

/** The document of an extension server's group version comes from there. */
function ofExtension({ request, user, server }: Call, path: string): Promise<ServerResponse> | undefined {
  const remote = server.aggregation.remotes.find(({ openApi: published }) => published?.version3.has(path));
  return remote && proxyToExtension(request, user, remote, server);
}

const addressOf = (path: string, hash: string) => `/openapi/v3/${path}?hash=${hash}`;

/** Whoever gives the hash of the index may keep what comes for good; another hash is led to the present one. */
function version3(call: Call, documents: OpenApiDocuments, path: string): ServerResponse {
  const form = formOf(call, 3);
  const document = documents.v3(path, form ?? 'json');
  if (!document) return empty(404, {});
  if (!form) return empty(406, { vary: 'Accept' });
  const { bytes, contentType, hash } = document;
  const headers: Record<string, string> = { etag: `"${hash}"`, vary: 'Accept' };
  const asked = call.request.query.get('hash');
  if (asked && asked !== hash) {
    return empty(301, { ...headers, location: addressOf(path, hash), 'content-type': contentType });
  }
  if (asked) {
    headers['cache-control'] = 'public, immutable';
    headers['expires'] = new Date(call.server.clock.now() + yearMs).toUTCString();
  }
  return answer(call, bytes, contentType, headers);
}

function answer(
  call: Call,
  bytes: Uint8Array,
  contentType: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
): ServerResponse {
  const known = call.request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(headers['etag'] as string) || known?.includes('*')) return empty(304, headers);
  return { code: 200, headers, content: { type: 'bytes', contentType, bytes } };
}

function empty(code: number, headers: Readonly<Record<string, string | readonly string[]>>): ServerResponse {
  return { code, headers, content: { type: 'stream', body: undefined } };
}

/** The first form that the client accepts; clients name protobuf with an `@` or a dot before its version. */
function formOf(call: Call, version: 2 | 3): OpenApiForm | undefined {
  const protobuf = new RegExp(`^application/com\\.github\\.proto-openapi\\.spec\\.v${version}[.@]v1\\.0\\+protobuf$`);
  for (const { mediaType } of parseAccept(call.request.headers['accept'] || '*/*')) {
    if (mediaType === '*/*' || mediaType === 'application/*' || mediaType === 'application/json') return 'json';
    if (protobuf.test(mediaType)) return 'protobuf';
  }
  return undefined;
}

function documentsOf({ server }: Call): OpenApiDocuments {
  const { registry } = server;
  let documents = made.get(registry);
  if (!documents) {
    documents = createOpenApiDocuments({
      release: releaseVersion,
      generation: () => discoveryGeneration(server),
      others: () => othersOf(server),
      groupVersions: () => groupVersionsOf(registry),
      plainPaths: (server.security.documents ?? []).map(({ path }) => path),
    });
    made.set(registry, documents);
  }
  return documents;
}

function othersOf({ aggregation }: ServerContext) {
  const published = aggregation.remotes.flatMap(({ openApi: own }) => own ?? []);
  const parts = published.flatMap(({ version2: part }) => part ?? []);
  return { parts, tag: published.map(({ etag }) => etag).join() };
}

function groupVersionsOf(registry: ResourceRegistry): GroupVersions {
  const all = new Map<GroupVersion, readonly OpenApiResource[]>();
  for (const { group, versions } of registry.groups) {
    for (const { version: name, resources } of versions.values()) {
      all.set(
        { group, version: name },
        [...resources.values()].map(({ info }) => info),
      );
    }
  }
  return all;
}
