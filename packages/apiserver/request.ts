import type { Duplex } from 'node:stream';
import type { User } from '@kubernode/api';
import type { Credentials } from './seams.ts';
import type { OutputFormat } from './encode/negotiate.ts';
import type { ServedResource } from './registry.ts';
import type { ListMetadata } from './storage/list.ts';
import type { StoredObject } from './storage/stored-object.ts';
import type { Watcher } from './storage/watcher.ts';

/** A request, whatever carried it: HTTP or the in-memory transport. */
export interface ServerRequest {
  readonly method: string;
  /** As it came: still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query as they came, where they came over HTTP. */
  readonly url?: string | undefined;
  /** What it came over. */
  readonly connection?: { readonly socket?: { readonly remoteAddress?: string | undefined } | null } | undefined;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Set where the transport vouches for the user (in memory); else authentication finds out. */
  readonly user?: User | undefined;
  readonly credentials?: Credentials | undefined;
  /** The whole body; throws RequestEntityTooLarge. */
  body(): Promise<RequestBody> | RequestBody;
  /** The body as it comes, for what is carried on. */
  readonly stream?: AsyncIterable<Uint8Array> | undefined;
  readonly upgrade?: { readonly socket: Duplex; readonly head: Uint8Array } | undefined;
  readonly limits?: RequestTerms | undefined;
  readonly signal: AbortSignal;
}

/** What its connection is told of a request. */
export interface RequestTerms {
  /** Has it cut when it takes longer; not called for streams. */
  limit(timeoutMs: number): void;
  /** Nobody knows who asks. */
  distrust(): void;
}

/** In memory a body is handed over as a value, which the server copies before it changes anything. */
export type RequestBody = { readonly bytes: Buffer } | { readonly value: unknown };

export interface ServerResponse {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Texts for `Warning` headers. */
  readonly warnings?: readonly string[] | undefined;
  /** To be released when the answer is sent, or never will be. */
  readonly onSent?: { release(): void } | undefined;
  readonly content: Content;
  /** Takes the size of the body, where it is counted. */
  readonly onSize?: ((bytes: number) => void) | undefined;
  /** What goes on for long has ended: a watch, a connection. */
  readonly onEnd?: (() => void) | undefined;
}

/** What an answer holds, before it is encoded: HTTP makes bytes of it, the in-memory transport hands it over. */
export type Content =
  | {
      readonly type: 'object';
      readonly object: StoredObject;
      readonly resource: ServedResource;
      readonly format: OutputFormat;
    }
  /** Anything else that has a kind: a Status, a dry run's result, discovery. */
  | {
      readonly type: 'value';
      readonly value: unknown;
      readonly resource?: ServedResource | undefined;
      readonly format: OutputFormat;
    }
  | {
      readonly type: 'list';
      readonly objects: readonly StoredObject[];
      readonly metadata: ListMetadata;
      readonly resource: ServedResource;
      readonly format: OutputFormat;
    }
  | {
      readonly type: 'watch';
      readonly watcher: Watcher;
      readonly resource: ServedResource;
      readonly format: OutputFormat;
    }
  | { readonly type: 'bytes'; readonly contentType: string; readonly bytes: string | Uint8Array }
  | {
      readonly type: 'stream';
      readonly body: AsyncIterable<Uint8Array> | undefined;
      /** It may be told over a WebSocket. */
      readonly isLog?: boolean;
    }
  /** The connection was handed on; there is nothing to answer. */
  | { readonly type: 'upgraded' };
