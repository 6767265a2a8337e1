import type { Call } from './context.ts';
import { flagz } from './debug/flagz.ts';
import { profiling } from './debug/profiling.ts';
import { statusz } from './debug/statusz.ts';
import { discovery } from './discovery/endpoints.ts';
import { discoveredGroups } from './discovery/groups.ts';
import { openApi } from './discovery/openapi.ts';
import { Offer, prettyJson } from './encode/negotiate.ts';
import { expositionContentType } from './metrics/exposition.ts';
import type { ServerResponse } from './request.ts';
import { methodNotAllowed, pageNotFound } from './route.ts';

/** Everything that is not about a resource; undefined for paths that nothing serves. */
export function documents(call: Call): Promise<ServerResponse> | ServerResponse | undefined {
  const { path } = call.route.attributes;
  const health = call.server.health.answer(path, call.request.query);
  if (health) return health;
  return openApi(call) ?? page(call, path) ?? readOnly(call);
}

/** Discovery and the version know no other method than GET. */
function readOnly(call: Call): ServerResponse | undefined {
  const { path } = call.route.attributes;
  const found = discovery(call) ?? versionOf(call, path);
  const { method } = call.request;
  if (found && method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  return found;
}

const onlyJson = new Offer({ only: ['json'] });

function versionOf(call: Call, path: string): ServerResponse | undefined {
  if (path !== '/version' && path !== '/version/') {
    if (path.startsWith('/version/')) throw pageNotFound();
    return undefined;
  }
  onlyJson.negotiate(call.request.headers['accept']);
  return { code: 200, content: { type: 'value', value: call.server.version, format: prettyJson } };
}

/** Pages that answer alike, whatever the method. */
function page(call: Call, path: string): ServerResponse | undefined {
  const { server } = call;
  switch (path) {
    case '/':
    case '/index.html':
      return { code: 200, content: { type: 'value', value: { paths: pathsOf(call) }, format: prettyJson } };
    case '/metrics':
      return metrics(call);
    case '/metrics/slis':
      return exposition(call, server.health.slis.text());
    case '/statusz':
      return statusz(call, server.startedMs);
    case '/flagz':
      return flagz(call, server.flags);
  }
  if (path.startsWith(flowControlPath)) return flowControlDump(call, path.slice(flowControlPath.length));
  if (path.startsWith('/debug/')) return profiling(call);
  const document = server.security.documents?.find((candidate) => candidate.path === path);
  if (!document) return undefined;
  const { contentType, headers } = document;
  return { code: 200, headers, content: { type: 'bytes', contentType, bytes: document.body(call.server.address()) } };
}

const flowControlPath = '/debug/api_priority_and_fairness/';

function flowControlDump({ server, request }: Call, name: string): ServerResponse | undefined {
  const bytes = server.flowControl.dump(name, { details: Boolean(request.query.get('includeRequestDetails')) });
  return bytes === undefined
    ? undefined
    : { code: 200, content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes } };
}

function metrics(call: Call): ServerResponse {
  const { registry } = call.server.metrics;
  if (call.request.method !== 'DELETE') return exposition(call, registry.text());
  registry.reset();
  return { code: 200, content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes: 'metrics reset\n' } };
}

function exposition({ server }: Call, bytes: string): ServerResponse {
  const headers = { 'process-start-time-unix': String(Math.floor(server.startedMs / 1000)) };
  return { code: 200, headers, content: { type: 'bytes', contentType: expositionContentType, bytes } };
}

function pathsOf({ server }: Call): string[] {
  const paths = ['/api', '/api/v1', '/apis', '/apis/', '/flagz', '/metrics', '/metrics/slis', '/openapi/v2'];
  paths.push('/openapi/v3', '/openapi/v3/', '/statusz', '/version', ...server.health.paths());
  paths.push(...(server.security.documents ?? []).map(({ path }) => path));
  for (const { name, versions } of discoveredGroups(server)) {
    if (name === '') continue;
    paths.push(`/apis/${name}`, ...versions.map(({ version: each }) => `/apis/${name}/${each}`));
  }
  return paths.sort();
}
