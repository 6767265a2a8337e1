import type { ApiRequest, Draft, Kind, ListOf, StreamResponse, Transport, WatchEvent } from '@kubernode/api';
import type { DeleteOptions } from '@kubernode/api/meta/v1';

/** A typed client of one API server. Answers are shared and frozen: copy what you change. Throws StatusError. */
export interface Client {
  readonly transport: Transport;
  get<T>(kind: Kind<T>, name: string, namespace?: string): Promise<T>;
  list<T>(kind: Kind<T>, options?: ListOptions): Promise<ListOf<T>>;
  watch<T>(kind: Kind<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
  create<T>(kind: Kind<T>, object: Draft<T>, options?: WriteOptions): Promise<T>;
  /** Replaces; with a resourceVersion only if it is still the current one (else Conflict). */
  update<T>(kind: Kind<T>, object: Draft<T>, options?: WriteOptions): Promise<T>;
  updateStatus<T>(kind: Kind<T>, object: Draft<T>, options?: WriteOptions): Promise<T>;
  patch<T>(kind: Kind<T>, target: Target, patch: Patch, options?: WriteOptions): Promise<T>;
  delete<T>(kind: Kind<T>, target: Target, options?: Draft<DeleteOptions>): Promise<void>;
  deleteCollection<T>(kind: Kind<T>, options: ListOptions, body?: Draft<DeleteOptions>): Promise<void>;
  /** GET, POST or PUT on a subresource: `binding`, `eviction`, `token`, `scale`, `finalize`. */
  subresource<R>(
    method: 'GET' | 'POST' | 'PUT',
    kind: Kind<unknown>,
    target: Target,
    subresource: string,
    body?: unknown,
  ): Promise<R>;
  request<R>(request: ApiRequest): Promise<R>;
  stream(request: ApiRequest): Promise<StreamResponse>;
}

export interface Target {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
}

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly signal: AbortSignal;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly force?: boolean | undefined;
}

/** The four ways to change part of an object; a JSON patch is a list of operations. */
export type Patch =
  | { readonly type: 'merge' | 'strategic' | 'apply'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly unknown[] };

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The URL path of a kind's collection, or of one object or subresource of it. */
export function pathOf(kind: Kind<unknown>, { name, namespace, subresource }: Partial<Target>): string {
  const scope = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${kind.basePath}${scope}/${kind.plural}${object}${subresource ? `/${subresource}` : ''}`;
}

export function createClient(transport: Transport): Client {
  const request: Client['request'] = (apiRequest) => transport.request(apiRequest);
  const write = <T>(
    method: 'POST' | 'PUT',
    kind: Kind<T>,
    object: Draft<T>,
    target: Partial<Target>,
    options?: WriteOptions,
  ) => request<T>({ method, path: pathOf(kind, target), query: writeQuery(options), body: typed(kind, object) });

  return {
    transport,
    request,
    stream: (apiRequest) => transport.stream(apiRequest),
    get: (kind, name, namespace) => request({ method: 'GET', path: pathOf(kind, { name, namespace }) }),
    list: (kind, options = {}) =>
      request({
        method: 'GET',
        path: pathOf(kind, { namespace: options.namespace }),
        query: listQuery(options),
        signal: options.signal,
      }),
    watch: (kind, { signal, allowWatchBookmarks, sendInitialEvents, timeoutSeconds, ...options }) =>
      transport.watch({
        method: 'GET',
        path: pathOf(kind, { namespace: options.namespace }),
        query: { ...listQuery(options), watch: true, allowWatchBookmarks, sendInitialEvents, timeoutSeconds },
        signal,
      }),
    create: (kind, object, options) =>
      write('POST', kind, object, { namespace: metadataOf(object).namespace }, options),
    update: (kind, object, options) => write('PUT', kind, object, metadataOf(object), options),
    updateStatus: (kind, object, options) =>
      write('PUT', kind, object, { ...metadataOf(object), subresource: 'status' }, options),
    patch: (kind, target, patch, options) =>
      request({
        method: 'PATCH',
        path: pathOf(kind, target),
        query: writeQuery(options),
        contentType: patchTypes[patch.type],
        body: patch.body,
      }),
    async delete(kind, target, options) {
      await request({ method: 'DELETE', path: pathOf(kind, target), body: options });
    },
    async deleteCollection(kind, options, body) {
      await request({
        method: 'DELETE',
        path: pathOf(kind, { namespace: options.namespace }),
        query: listQuery(options),
        body,
      });
    },
    subresource: (method, kind, target, subresource, body) =>
      request({ method, path: pathOf(kind, { ...target, subresource }), body }),
  };
}

const listQuery = ({ namespace: _, signal: __, ...query }: ListOptions) => query;

function writeQuery(options: WriteOptions = {}) {
  return { dryRun: options.dryRun ? 'All' : undefined, fieldManager: options.fieldManager, force: options.force };
}

function typed<T>(kind: Kind<T>, object: Draft<T>): unknown {
  return { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
}

function metadataOf(object: unknown): { name: string; namespace?: string | undefined } {
  const { name = '', namespace } = (object as { metadata?: { name?: string; namespace?: string } }).metadata ?? {};
  return { name, namespace };
}
