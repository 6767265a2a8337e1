import type { Attributes } from '../seams.ts';
import type { Counter, Histogram, MetricsRegistry } from './registry.ts';

const labels = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
const durationBucketsSeconds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Counts requests under upstream's names. */
export class RequestMetrics {
  readonly #total: Counter;
  readonly #seconds: Histogram;

  constructor(registry: MetricsRegistry) {
    this.#total = registry.counter({
      name: 'apiserver_request_total',
      help:
        'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, ' +
        'component, and HTTP response code.',
      stability: 'STABLE',
      labels: [...labels, 'code'],
    });
    this.#seconds = registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help:
        'Response latency distribution in seconds for each verb, dry run value, group, version, resource, ' +
        'subresource, scope and component.',
      stability: 'STABLE',
      labels,
      buckets: durationBucketsSeconds,
    });
  }

  observe(attributes: Attributes | undefined, code: number, durationMs: number): void {
    const { verb = '', group = '', version = '', resource = '', subresource = '' } = attributes ?? {};
    const scope = attributes?.name ? 'resource' : attributes?.namespace ? 'namespace' : resource ? 'cluster' : '';
    const upper = verb.toUpperCase();
    this.#total.of(upper, '', group, version, resource, subresource, scope, 'apiserver', String(code)).add();
    this.#seconds.of(upper, '', group, version, resource, subresource, scope, 'apiserver').observe(durationMs / 1000);
  }
}
