import { StatusError, type ApiRequest, type KubernetesObject, type Transport, type WatchEvent } from '@kubernode/api';
import { deepFreeze, mergePatch } from '@kubernode/machinery';
import { Compacted, memoryStore, prefixRange, type Entry, type Store, type StoreEvent } from '@kubernode/store';

/** Just enough of an API server, over the real store in memory, to test what is below the real one. */
export interface TestApi extends Transport {
  readonly store: Store;
  readonly requests: string[];
  /** Called before each request; what it throws is the answer. */
  intercept: (request: ApiRequest) => void | Promise<void>;
  /** Ends all watches, as a server that restarts. */
  hangUp(): void;
}

export function testApi(store: Store = memoryStore()): TestApi {
  let hangUp = new AbortController();
  let uids = 0;
  const requests: string[] = [];

  const api: TestApi = {
    store,
    requests,
    intercept() {},
    hangUp() {
      hangUp.abort();
      hangUp = new AbortController();
    },
    async request<T>(request: ApiRequest): Promise<T> {
      requests.push(`${request.method} ${request.path}`);
      await api.intercept(request);
      return (await answer(request)) as T;
    },
    async *watch<T>(request: ApiRequest): AsyncGenerator<readonly WatchEvent<T>[]> {
      requests.push(`WATCH ${request.path}`);
      await api.intercept(request);
      const signal = AbortSignal.any([hangUp.signal, ...(request.signal ? [request.signal] : [])]);
      try {
        const after = Number(request.query?.['resourceVersion']);
        for await (const batch of store.watch(prefixRange(`${targetOf(request).prefix}/`), after, signal)) {
          yield batch.map(eventOf) as WatchEvent<T>[];
        }
      } catch (error) {
        throw error instanceof Compacted
          ? StatusError.of('Expired', `too old resource version: ${error.message}`)
          : error;
      }
    },
    stream: () => Promise.reject(new Error('stream: not part of the test API')),
    close: () => store.close(),
  };

  async function answer(request: ApiRequest): Promise<unknown> {
    const { prefix, name, plural, key } = targetOf(request);
    const body = request.body as KubernetesObject;
    if (request.method === 'POST') {
      const metadata = { ...body.metadata, uid: `uid-${++uids}` };
      const written = await write(`${prefix}/${metadata.name}`, { ...body, metadata }, 'absent');
      if (!written) throw StatusError.alreadyExists({ group: '', plural }, metadata.name);
      return written;
    }
    if (!name) return list(request, prefix);
    const current = await store.get(key);
    if (!current) throw StatusError.notFound({ group: '', plural }, name);
    if (request.method === 'GET') return decoded(current);
    if (request.method === 'DELETE') {
      await store.write([{ key, expect: current.revision }]);
      return { kind: 'Status', status: 'Success' };
    }
    const next = request.method === 'PATCH' ? (mergePatch(decoded(current), body) as KubernetesObject) : body;
    const expected = Number(request.method === 'PUT' && body.metadata.resourceVersion) || current.revision;
    const written = await write(
      key,
      { ...next, metadata: { ...decoded(current).metadata, ...next.metadata } },
      expected,
    );
    if (!written) throw StatusError.conflict({ group: '', plural }, name, 'the object has been modified');
    return written;
  }

  async function write(key: string, object: KubernetesObject, expect: number | 'absent') {
    const value = Buffer.from(JSON.stringify(object));
    const written = await store.write([{ key, value, expect }]);
    return written.ok ? decoded({ key, value, revision: written.revision, created: written.revision }) : undefined;
  }

  async function list({ query = {} }: ApiRequest, prefix: string): Promise<unknown> {
    const range = prefixRange(`${prefix}/`);
    const [at, from] = query['continue'] ? String(query['continue']).split(' ') : [];
    try {
      const options = { limit: Number(query['limit'] ?? Infinity), ...(at && { at: Number(at) }) };
      const page = await store.list(from ? { from: `${from}\0`, to: range.to } : range, options);
      const last = page.entries.at(-1)?.key;
      const next = page.remaining > 0 ? { continue: `${page.revision} ${last}` } : {};
      return { metadata: { resourceVersion: String(page.revision), ...next }, items: page.entries.map(decoded) };
    } catch (error) {
      throw error instanceof Compacted ? StatusError.of('Expired', error.message) : error;
    }
  }

  return api;
}

/** Keys are `/plural/namespace/name`; cluster-scoped ones `/plural/name`. */
function targetOf({ path }: ApiRequest) {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const namespace = parts[0] === 'namespaces' && parts.length > 2 ? parts[1] : undefined;
  const [plural = '', name] = namespace === undefined ? parts : parts.slice(2);
  const prefix = namespace === undefined ? `/${plural}` : `/${plural}/${namespace}`;
  return { plural, name, prefix, key: `${prefix}/${name}` };
}

function decoded({ value, revision }: Entry): KubernetesObject {
  const object = JSON.parse(Buffer.from(value).toString()) as KubernetesObject;
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

function eventOf(event: StoreEvent): WatchEvent<KubernetesObject> {
  if (event.type === 'delete')
    return { type: 'DELETED', object: decoded({ ...event.previous, revision: event.revision }) };
  return { type: event.previous ? 'MODIFIED' : 'ADDED', object: decoded(event.entry) };
}
