import {
  StatusError,
  type ApiRequest,
  type StreamResponse,
  type Transport,
  type User,
  type WatchEvent,
} from '@kubernode/api';
import type { ServerContext } from './context.ts';
import { bytesOf } from './encode/answer.ts';
import { valueOf, watchEventOf } from './encode/value.ts';
import { handle } from './lifecycle.ts';
import type { ServerRequest, ServerResponse } from './request.ts';

const noQuery = new URLSearchParams();

/**
 * Requests without a network: the same lifecycle, but bodies are values. Answers are the server's own shared, frozen
 * objects; nothing is encoded or decoded that the store does not need.
 */
export function inMemoryTransport(server: ServerContext, user: User): Transport {
  const send = (request: ApiRequest): Promise<ServerResponse> => handle(serverRequest(request, user), server);
  return {
    async request<T>(request: ApiRequest): Promise<T> {
      const { content, code } = await send(request);
      const value = valueOf(content);
      if (code >= 400) throw new StatusError(value as StatusError['status']);
      return value as T;
    },
    async *watch<T>(request: ApiRequest): AsyncGenerator<readonly WatchEvent<T>[]> {
      const { content, code } = await send(request);
      if (content.type !== 'watch') {
        if (code >= 400) throw new StatusError(valueOf(content) as StatusError['status']);
        throw StatusError.badRequest(`${request.path} did not answer with a watch: is "watch" in the query?`);
      }
      for await (const batch of content.watcher.batches()) {
        yield batch.map((item) => watchEventOf<T>(item, content.resource));
      }
    },
    async stream(request: ApiRequest): Promise<StreamResponse> {
      const response = await send(request);
      const { headers, body } = bytesOf(response, server.clock.now());
      return { status: response.code, headers, body };
    },
    async close() {},
  };
}

function serverRequest(request: ApiRequest, user: User): ServerRequest {
  const { method, path, body, contentType, accept, signal } = request;
  const headers = { accept, 'content-type': contentType ?? 'application/json', 'user-agent': agentOf(user) };
  return {
    method,
    path,
    query: queryOf(request.query),
    headers,
    user,
    body: () => ({ value: body }),
    signal: signal ?? neverAborted,
  };
}

/** Who owns the fields that a component sets, where it does not say so itself: what its program is called. */
function agentOf({ name }: User): string {
  if (name === 'system:apiserver') return 'kube-apiserver';
  if (name.startsWith('system:node:')) return 'kubelet';
  if (name.startsWith('system:serviceaccount:kube-system:')) return 'kube-controller-manager';
  return name.startsWith('system:') ? name.slice('system:'.length) : name;
}

const neverAborted = new AbortController().signal;

function queryOf(query: ApiRequest['query']): URLSearchParams {
  if (!query) return noQuery;
  let params: URLSearchParams | undefined;
  for (const key in query) {
    const value = query[key];
    if (value !== undefined) (params ??= new URLSearchParams()).append(key, String(value));
  }
  return params ?? noQuery;
}
