/** A little of everything that a cluster asks of its API server, at a rate, over a number of objects that stays. */
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { Connection, type Request } from './connection.ts';
import { configMap, makeNamespace, pod } from './load.ts';
import type { Target } from './server.ts';

export interface MixedLoad {
  /** Rejects where an answer is an error of the server, or of the load. */
  readonly failed: Promise<never>;
  /** What was answered since it was asked last. */
  since(): { readonly perSecond: number; readonly p99Ms: number };
  stop(): Promise<void>;
}

const clients = 4;
const namesMax = 150;
/** Of each kind there are about so many when as many are made as go; the load begins with them. */
const steady = 85;
const leasesMax = 20;
const watchersMax = 20;
const watchMsMax = 4_000;
const definitionMs = 4_000;
/** Kinds come again under the same names, as in any cluster: metrics name them, here as upstream. */
const definitionsMax = 10;
const mergePatch = 'application/merge-patch+json';

/** What a client asks next: a share of all requests, and what it is. */
interface Share {
  readonly weight: number;
  readonly next: (namespace: string, number: number) => Request;
}

const anyName = (): string => `o${below(namesMax)}`;
const below = (count: number): number => Math.floor(Math.random() * count);
const core = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;

const shares: readonly Share[] = [
  {
    weight: 15,
    next: (namespace) => post(core(namespace, 'configmaps'), configMap(anyName())),
  },
  { weight: 15, next: (namespace, n) => patch(core(namespace, 'configmaps'), { data: { key: `v${n}` } }) },
  { weight: 10, next: (namespace) => remove(core(namespace, 'configmaps'), '') },
  { weight: 8, next: (namespace) => post(core(namespace, 'pods'), pod(anyName())) },
  { weight: 8, next: (namespace, n) => patch(core(namespace, 'pods'), { metadata: { labels: { n: `v${n}` } } }) },
  { weight: 6, next: (namespace) => remove(core(namespace, 'pods'), '?gracePeriodSeconds=0') },
  { weight: 5, next: (namespace) => post(core(namespace, 'services'), service(anyName())) },
  { weight: 5, next: (namespace) => remove(core(namespace, 'services'), '') },
  { weight: 10, next: (namespace, n) => renew(namespace, n) },
  { weight: 8, next: (namespace, n) => post(core(namespace, 'events'), event(namespace, n)) },
  { weight: 2, next: (namespace) => post(`${core(namespace, 'serviceaccounts')}/default/token`, '{"spec":{}}') },
  { weight: 3, next: (namespace) => ({ method: 'GET', path: core(namespace, 'pods') }) },
  { weight: 1, next: (namespace) => ({ method: 'GET', path: `${core(namespace, 'configmaps')}?limit=20` }) },
  {
    weight: 4,
    next: (namespace) => ({ method: 'GET', path: `${core(namespace, 'pods')}/${anyName()}` }),
  },
];

const post = (path: string, body: string): Request => ({ method: 'POST', path, body });
const one = (path: string): string => `${path}/${anyName()}`;
const patch = (path: string, body: object): Request => ({
  method: 'PATCH',
  path: one(path),
  body: JSON.stringify(body),
  contentType: mergePatch,
});
const remove = (path: string, query: string): Request => ({ method: 'DELETE', path: `${one(path)}${query}` });

function renew(namespace: string, n: number): Request {
  const name = `o${below(leasesMax)}`;
  const body = JSON.stringify({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: `h${n}`, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}?fieldManager=load&force=true`;
  return { method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' };
}

const service = (name: string): string =>
  JSON.stringify({ metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });

const event = (namespace: string, n: number): string =>
  JSON.stringify({
    metadata: { name: `e${n}` },
    involvedObject: { kind: 'Pod', namespace, name: `o${below(namesMax)}` },
    reason: 'Load',
    message: `The event ${n}`,
  });

function choose(): Share {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let left = Math.random() * total;
  return shares.find(({ weight }) => (left -= weight) < 0) ?? shares[0]!;
}

export async function startMixedLoad(target: Target, perSecond: number): Promise<MixedLoad> {
  const namespace = await makeNamespace(target);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let isStopped = false;
  let latenciesMs: number[] = [];
  let sinceMs = performance.now();
  let number = 0;
  const goesOn = () => !isStopped;
  await fill(target, namespace);
  const send = async (connection: Connection, request: Request): Promise<number> => {
    const sentMs = performance.now();
    const { code } = await connection.send(request);
    latenciesMs.push(performance.now() - sentMs);
    // Objects that are there already, or not any more, belong to the load.
    if (code >= 500 || code === 400 || code === 422) {
      failed.reject(new Error(`${request.method} ${request.path} was answered ${code}`));
    }
    return code;
  };
  const client = async (): Promise<void> => {
    let connection = new Connection(target);
    for (let count = 1; goesOn(); count += 1) {
      await send(connection, choose().next(namespace, (number += 1)));
      // Connections come and go, too.
      if (count % 50 === 0) {
        connection.close();
        connection = new Connection(target);
      }
      await delay((1_000 * clients * 2 * Math.random()) / perSecond);
    }
    connection.close();
  };
  const running = [
    ...Array.from({ length: clients }, client),
    ...Array.from({ length: watchersMax }, () => watcher(target, namespace, goesOn)),
    definitions(target, namespace, goesOn, send),
  ];
  for (const each of running) each.catch(failed.reject);
  return {
    failed: failed.promise,
    since() {
      const sorted = latenciesMs.toSorted((a, b) => a - b);
      const seconds = (performance.now() - sinceMs) / 1_000;
      latenciesMs = [];
      sinceMs = performance.now();
      return { perSecond: sorted.length / seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
    },
    async stop() {
      isStopped = true;
      await Promise.allSettled(running);
    },
  };
}

async function fill(target: Target, namespace: string): Promise<void> {
  const connection = new Connection(target);
  for (let n = 0; n < steady; n += 1) {
    await connection.send(post(core(namespace, 'configmaps'), configMap(`o${n}`)));
    await connection.send(post(core(namespace, 'pods'), pod(`o${n}`)));
    await connection.send(post(core(namespace, 'services'), service(`o${n}`)));
  }
  connection.close();
}

/** Watches a while, hangs up, and comes back. */
async function watcher({ url, token }: Target, namespace: string, goesOn: () => boolean): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const plurals = ['configmaps', 'pods', 'services', 'events'];
  while (goesOn()) {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.on('error', () => {});
    const path = `${core(namespace, plurals[below(plurals.length)]!)}?watch=true&allowWatchBookmarks=true`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
    socket.resume();
    await delay(Math.random() * watchMsMax);
    socket.destroy();
  }
}

/** A kind comes, has some objects, and goes with them. */
async function definitions(
  target: Target,
  namespace: string,
  goesOn: () => boolean,
  send: (connection: Connection, request: Request) => Promise<number>,
): Promise<void> {
  const connection = new Connection(target);
  const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (let n = 0; goesOn(); n += 1) {
    const index = n % definitionsMax;
    const [plural, group] = [`things${index}`, 'endurance.example.com'];
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
    const version = { name: 'v1', served: true, storage: true, schema };
    const names = { plural, singular: `thing${index}`, kind: `Thing${index}` };
    const spec = { group, scope: 'Namespaced', names, versions: [version] };
    await send(connection, post(root, JSON.stringify({ metadata: { name: `${plural}.${group}` }, spec })));
    await delay(definitionMs / 2);
    const body = (name: string) => JSON.stringify({ apiVersion: `${group}/v1`, kind: names.kind, metadata: { name } });
    const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
    for (const name of ['a', 'b', 'c']) await send(connection, post(path, body(name)));
    await delay(definitionMs / 2);
    await send(connection, { method: 'DELETE', path: `${root}/${plural}.${group}` });
  }
  connection.close();
}
