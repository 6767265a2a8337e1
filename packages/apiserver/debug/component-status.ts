import { StatusError } from '@kubernode/api';
import { matchesFields, parseFieldSelector, parseLabelSelector, table } from '@kubernode/machinery';
import type { ResourceCall, ServerContext, Verb } from '../context.ts';
import { includeObjectOf, tableOf } from '../encode/table.ts';
import { urlDestination } from '../outbound/destination.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { formatOf, respondValue } from '../verbs/respond.ts';

/** Where the others of a control plane answer for their health, on this machine. */
const components: Readonly<Record<string, string>> = table({
  scheduler: 'https://127.0.0.1:10259',
  'controller-manager': 'https://127.0.0.1:10257',
});
const storeName = 'etcd-0';
const timeoutMs = 20_000;

/** GET and LIST of ComponentStatuses: nothing is stored, everyone is asked when somebody wants to know. */
export const componentStatuses: Verb = async (call) => {
  const format = formatOf(call);
  const { verb, name } = call.route.attributes;
  if (verb === 'get') {
    if (name !== storeName && !Object.hasOwn(components, name)) throw notFound(name);
    return respondValue(call, { ...(await statusOf(call.server, name)), ...typeMeta }, format);
  }
  const items = await Promise.all([...wanted(call)].map((each) => statusOf(call.server, each)));
  if (format.transform === 'Table') {
    const options = { include: includeObjectOf(call.request.query), version: 'v1', nowMs: call.server.clock.now() };
    const rows = items.map((item) => ({ ...item, ...typeMeta }) as ApiObject);
    const table = tableOf(call.resource, rows, { resourceVersion: '' }, options);
    return respondValue(call, table, { ...format, transform: undefined });
  }
  return respondValue(call, { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items }, format);
};

const typeMeta = { kind: 'ComponentStatus', apiVersion: 'v1' };

/** Upstream words it so. */
const notFound = (name: string) =>
  StatusError.of('NotFound', `componentstatus ${JSON.stringify(name)} not found`, { name, kind: 'componentstatus' });

/** They have no labels, and no fields but their names. */
function* wanted({ route }: ResourceCall): Generator<string> {
  const { labelSelector, fieldSelector } = route.attributes;
  const fields = fieldSelector ? parseFieldSelector(fieldSelector) : [];
  if (labelSelector && !parseLabelSelector(labelSelector).matches({})) return;
  for (const name of [...Object.keys(components), storeName]) {
    if (matchesFields(fields, (field) => (field === 'metadata.name' ? name : ''))) yield name;
  }
}

async function statusOf(server: ServerContext, name: string): Promise<object> {
  const problem = name === storeName ? storeProblem(server) : await problemAt(server, components[name] ?? '');
  const condition = problem
    ? { type: 'Healthy', status: 'False', message: problem }
    : { type: 'Healthy', status: 'True', message: 'ok' };
  return { metadata: { name }, conditions: [condition] };
}

const storeProblem = ({ watchCache }: ServerContext) =>
  watchCache.isFollowing ? undefined : 'the changes of the store do not arrive';

async function problemAt({ outbound, clock }: ServerContext, url: string): Promise<string | undefined> {
  const deadline = new AbortController();
  const cancel = clock.after(timeoutMs, () => deadline.abort(new Error('context deadline exceeded')));
  try {
    const to = urlDestination(url, { insecureSkipTlsVerify: true });
    const request = { method: 'GET', path: '/healthz', headers: {}, signal: deadline.signal };
    const { status, body } = await outbound.stream(to, request);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString('utf8');
    return status === 200 ? undefined : `unhealthy http status code: ${status}: ${text.slice(0, 200)}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    cancel();
  }
}
