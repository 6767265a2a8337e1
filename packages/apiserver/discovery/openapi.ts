import { createOpenApiDocuments, type GroupVersion, type OpenApiDocuments, type OpenApiResource } from '@kubernode/api';
import type { Call } from '../context.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ServerResponse } from '../request.ts';
import { version } from '../version.ts';

const made = new WeakMap<ResourceRegistry, OpenApiDocuments>();

/** /openapi/v2 and /openapi/v3; undefined for all other paths. Documents are made when they are asked for. */
export function openApi(call: Call): ServerResponse | undefined {
  const { path } = call.route.attributes;
  if (!path.startsWith('/openapi/')) return undefined;
  const documents = documentsOf(call.server.registry);
  const accept = call.request.headers['accept'] ?? '';
  if (path === '/openapi/v2') {
    const form = accept.includes('proto-openapi.spec.v2') ? 'protobuf' : 'json';
    const { bytes, contentType, hash } = documents.v2(form);
    return answer(call, bytes, contentType, hash);
  }
  if (path === '/openapi/v3' || path === '/openapi/v3/') {
    return answer(call, documents.v3Index(), 'text/plain; charset=utf-8', undefined);
  }
  const document = path.startsWith('/openapi/v3/') ? documents.v3(path.slice('/openapi/v3/'.length)) : undefined;
  return document && answer(call, document.bytes, 'application/json', document.hash);
}

function answer(call: Call, bytes: Uint8Array, contentType: string, hash: string | undefined): ServerResponse {
  const etag = hash && `"${hash}"`;
  const headers: Record<string, string> = etag ? { etag, vary: 'Accept' } : { vary: 'Accept' };
  if (etag && call.request.headers['if-none-match'] === etag) {
    return { code: 304, headers, content: { type: 'stream', body: undefined } };
  }
  return { code: 200, headers, content: { type: 'bytes', contentType, bytes } };
}

function documentsOf(registry: ResourceRegistry): OpenApiDocuments {
  let documents = made.get(registry);
  if (!documents) {
    documents = createOpenApiDocuments({ release: version.gitVersion, groupVersions: () => groupVersionsOf(registry) });
    made.set(registry, documents);
  }
  return documents;
}

function groupVersionsOf(registry: ResourceRegistry): ReadonlyMap<GroupVersion, readonly OpenApiResource[]> {
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
