import { json, type Answer } from './client.ts';
import { isFields, pointer, type Fields } from './scenario.ts';

const namesOf = ({ body }: Answer) => {
  const items = pointer(body, '/items');
  return Array.isArray(items) ? items.map((item: unknown) => pointer(item, '/metadata/name') as string) : [];
};
const keysAt = (at: string) => (answer: Answer) => {
  const found = at ? pointer(answer.body, at) : answer.body;
  return isFields(found) ? Object.keys(found).sort() : [];
};
const lines = ({ text }: Answer) => text.split('\n');

/** The metrics that every API server has. */
const metric = new RegExp(
  '^(apiserver_(request_(total|duration_seconds|sli_duration_seconds)|current_inflight_requests|longrunning_requests|' +
    'response_sizes|storage_objects|resource_objects|admission_\\w+_duration_seconds|flowcontrol_(' +
    'current_executing_requests|dispatched_requests_total|nominal_limit_seats)|watch_events_total|audit_event_total|' +
    'tls_handshake_errors_total)|authentication_attempts|authenticated_user_requests|etcd_request_duration_seconds|' +
    'workqueue_depth|rest_client_requests_total|process_cpu_seconds_total|process_resident_memory_bytes|' +
    'kubernetes_build_info|kubernetes_feature_enabled) ',
);

/** The one aspect of a good answer that a step is about. */
export const views: Readonly<Record<string, (answer: Answer) => unknown>> = {
  names: namesOf,
  sortedNames: (answer) => namesOf(answer).toSorted((a, b) => (a < b ? -1 : 1)),
  codeOnly: () => undefined,
  keys: keysAt(''),
  bookmarks: ({ body }) => body,
  paths: keysAt('/paths'),
  definitions: keysAt('/definitions'),
  schemas: keysAt('/components/schemas'),
  yamlKeys: (answer) =>
    lines(answer)
      .flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? [])
      .sort(),
  magic: ({ raw }) => raw.subarray(0, 4).toString('hex'),
  layout: ({ text }) => ({ indented: text.includes('\n  "'), endsWithNewline: text.endsWith('\n') }),
  checks: (answer) => lines(answer).flatMap((line) => /^\[([+-])\](\S+)/.exec(line)?.slice(1, 3).join('') ?? []),
  jwks: ({ body }) => {
    const keys = pointer(body, '/keys') as readonly Fields[] | undefined;
    return keys?.map((key) => ({ ...key, kid: typeof key['kid'], n: typeof key['n'] }));
  },
  jwt: ({ body }) => tokenView(body as { readonly status?: Fields }),
  metrics: ({ text }) =>
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
      .map((match) => `${match[1]} ${match[2]}`)
      .filter((line) => metric.test(line))
      .sort(),
};

function tokenView({ status: { token = '', ...status } = {}, ...rest }: { readonly status?: Fields }): unknown {
  const [header, claims] = String(token)
    .split('.')
    .slice(0, 2)
    .map((part) => (json(Buffer.from(part, 'base64url').toString()) ?? {}) as Record<string, unknown>);
  const lifetime = Number(claims?.['exp']) - Number(claims?.['iat']);
  for (const key of ['exp', 'iat', 'nbf']) if (claims && key in claims) claims[key] = typeof claims[key];
  const own = claims?.['kubernetes.io'] as Record<string, unknown> | undefined;
  if (own?.['warnafter']) own['warnafter'] = 'number';
  return { ...rest, status, header: { ...header, kid: typeof header?.['kid'] }, claims, lifetime };
}
