import { StatusError } from '@kubernode/api';
import type { Call } from './context.ts';
import { discovery } from './discovery/endpoints.ts';
import { openApi } from './discovery/openapi.ts';
import { negotiate, prettyJson } from './encode/negotiate.ts';
import { expositionContentType } from './metrics/exposition.ts';
import type { ServerResponse } from './request.ts';
import { version } from './version.ts';

/** Everything that is not about a resource; undefined for paths that nothing serves. */
export function documents(call: Call): Promise<ServerResponse> | ServerResponse | undefined {
  const { path } = call.route.attributes;
  const { method, query } = call.request;
  const health = call.server.health.answer(path, query);
  if (health) return health;
  const found = openApi(call) ?? discovery(call) ?? fixed(call, path);
  if (found && method !== 'GET' && method !== 'HEAD') {
    throw StatusError.of('MethodNotAllowed', `${method} is not supported on ${path}`, {});
  }
  return found;
}

function fixed(call: Call, path: string): ServerResponse | undefined {
  const { server } = call;
  if (path === '/version' || path === '/version/') {
    negotiate(call.request.headers['accept'], { only: ['json'] });
    return { code: 200, content: { type: 'value', value: version, format: prettyJson } };
  }
  if (path === '/metrics') {
    const bytes = server.metrics.registry.text();
    return { code: 200, content: { type: 'bytes', contentType: expositionContentType, bytes } };
  }
  if (path === '/' || path === '/index.html') {
    return { code: 200, content: { type: 'value', value: { paths: pathsOf(call) }, format: prettyJson } };
  }
  const dump = path.startsWith(dumpPath) ? dumpOf(call, path.slice(dumpPath.length)) : undefined;
  if (dump !== undefined) {
    return { code: 200, content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes: dump } };
  }
  const document = server.security.documents?.find((candidate) => candidate.path === path);
  if (!document) return undefined;
  const { contentType, headers } = document;
  return { code: 200, headers, content: { type: 'bytes', contentType, bytes: document.body() } };
}

const dumpPath = '/debug/api_priority_and_fairness/';

const dumpOf = ({ server, request }: Call, name: string): string | undefined =>
  server.flowControl.dump(name, { details: Boolean(request.query.get('includeRequestDetails')) });

function pathsOf({ server }: Call): string[] {
  const paths = ['/api', '/api/v1', '/apis', '/apis/', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3'];
  paths.push('/openapi/v3/', '/readyz', '/version', ...(server.security.documents ?? []).map(({ path }) => path));
  for (const { group, versions } of server.registry.groups) {
    if (group === '') continue;
    paths.push(`/apis/${group}`, ...[...versions.keys()].map((name) => `/apis/${group}/${name}`));
  }
  return paths.sort();
}
