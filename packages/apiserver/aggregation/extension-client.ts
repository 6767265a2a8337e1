import type { Clock } from '@kubernode/machinery';
import type { Destination } from '../outbound/destination.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { wholeBody } from '../outbound/whole-body.ts';
import { aggregator, authProxyHeaders } from './auth-proxy.ts';

export interface ExtensionAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Documents of extension servers are bounded: one must not fill our memory. */
export const documentBytesMax = 64 * 1024 * 1024;

/** Asks extension servers for documents, as the aggregator itself. */
export interface ExtensionClient {
  /** Rejects with OutboundError, also when the answer is not whole in `timeoutMs`. */
  get(to: Destination, path: string, options: GetOptions): Promise<ExtensionAnswer>;
}

export interface GetOptions {
  readonly timeoutMs: number;
  readonly accept?: string | undefined;
  /** The tag of what is known: 304 where it is still true. */
  readonly etag?: string | undefined;
}

export function extensionClient(outbound: Outbound, clock: Clock, stopping: AbortSignal): ExtensionClient {
  return {
    async get(to, path, { timeoutMs, accept = 'application/json', etag }) {
      const deadline = new AbortController();
      const abort = () => deadline.abort(new Error('context deadline exceeded'));
      const cancel = clock.after(timeoutMs, abort);
      stopping.addEventListener('abort', abort, { once: true });
      try {
        const headers = { accept, ...(etag ? { 'if-none-match': etag } : {}), ...authProxyHeaders(aggregator) };
        const answer = await outbound.stream(to, { method: 'GET', path, headers, signal: deadline.signal });
        return { status: answer.status, headers: answer.headers, body: await wholeBody(answer.body, documentBytesMax) };
      } finally {
        cancel();
        stopping.removeEventListener('abort', abort);
      }
    },
  };
}
