import { StatusError, type Transport } from '@kubernode/api';
import type { Outbound } from '../outbound/outbound.ts';
import type { Counter, MetricsRegistry } from './registry.ts';

/** Requests of the API server as a client: to itself, and to servers outside. */
export class RestClientMetrics {
  readonly #total: Counter;

  constructor(registry: MetricsRegistry) {
    this.#total = registry.counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      stability: 'ALPHA',
      labels: ['code', 'method', 'host'],
    });
  }

  /** `host`: where the transport leads. What succeeds in memory has no code: it counts as 200, a creation as 201. */
  transport(target: Transport, host: () => string): Transport {
    const count = (code: number, method: string) => this.#total.of(String(code), method, host()).add();
    return {
      async request<T>(request: Parameters<Transport['request']>[0]): Promise<T> {
        try {
          const answer = await target.request<T>(request);
          count(request.method === 'POST' ? 201 : 200, request.method);
          return answer;
        } catch (error) {
          count(error instanceof StatusError ? error.code : 0, request.method);
          throw error;
        }
      },
      watch(request) {
        count(200, 'GET');
        return target.watch(request);
      },
      async stream(request) {
        const answer = await target.stream(request);
        count(answer.status, request.method);
        return answer;
      },
      close: () => target.close(),
    };
  }

  /** Counts calls to servers outside by their authority; those that get no answer as `<error>`, as upstream does. */
  outbound(target: Outbound): Outbound {
    const counted = async <T extends { readonly status: number }>(
      method: string,
      host: string,
      run: () => Promise<T>,
    ) => {
      try {
        const answer = await run();
        this.#total.of(String(answer.status), method, host).add();
        return answer;
      } catch (error) {
        this.#total.of('<error>', method, host).add();
        throw error;
      }
    };
    return {
      ...target,
      post: (to, body, options) => counted('POST', to.authority, () => target.post(to, body, options)),
      stream: (to, request) => counted(request.method, to.authority, () => target.stream(to, request)),
    };
  }
}
