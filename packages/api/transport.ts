/**
 * One way to reach an API server, whatever carries it: in memory, or HTTPS. It lives below both the client and the API
 * server, so that neither has to know the other.
 */
export interface Transport {
  /** One request and its decoded answer. Throws StatusError for every answer that is not 2xx. Answers are shared: never change one. */
  request<T>(request: ApiRequest): Promise<T>;
  /**
   * The events of a watch, in batches, until the server ends it or the signal aborts (then it ends quietly). An ERROR
   * event is thrown as its StatusError.
   */
  watch<T>(request: ApiRequest): AsyncIterable<readonly WatchEvent<T>[]>;
  /** An answer that is not an object (logs, /metrics, a proxied page), as it comes; does not throw on a status code. */
  stream(request: ApiRequest): Promise<StreamResponse>;
  close(): Promise<void>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the query: `/apis/apps/v1/namespaces/default/deployments/web`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** A JSON value; the transport encodes it, or hands it over as it is. */
  readonly body?: unknown;
  /** Of the body; the patch types are told apart by it. Default `application/json`. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** Who makes a request, as authentication found out. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
