import type { Counter, Gauge, Histogram, MetricsRegistry } from './registry.ts';

export interface RequestFamilies {
  readonly total: Counter;
  readonly seconds: Histogram;
  readonly sliSeconds: Histogram;
  readonly sizes: Histogram;
  readonly bodyBytes: Histogram;
  readonly longRunning: Gauge;
  readonly own: Counter;
  readonly deprecated: Gauge;
}

const where = ['group', 'version', 'resource', 'subresource', 'scope', 'component'];
const slowSeconds = [1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const sliBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, ...slowSeconds];

/** Upstream's families about requests: names, help texts, labels and buckets are read by dashboards. */
export function requestFamilies(registry: MetricsRegistry): RequestFamilies {
  return {
    total: registry.counter({
      name: 'apiserver_request_total',
      help:
        'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, ' +
        'component, and HTTP response code.',
      stability: 'STABLE',
      labels: ['verb', 'dry_run', ...where, 'code'],
    }),
    seconds: registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help:
        'Response latency distribution in seconds for each verb, dry run value, group, version, resource, ' +
        'subresource, scope and component.',
      stability: 'STABLE',
      labels: ['verb', 'dry_run', ...where],
      buckets: [0.005, 0.025, ...sliBuckets],
    }),
    sliSeconds: registry.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      help:
        'Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in ' +
        'seconds for each verb, group, version, resource, subresource, scope and component.',
      stability: 'ALPHA',
      labels: ['verb', ...where],
      buckets: sliBuckets,
    }),
    sizes: registry.histogram({
      name: 'apiserver_response_sizes',
      help: 'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
      stability: 'STABLE',
      labels: ['verb', ...where],
      buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    }),
    bodyBytes: registry.histogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Apiserver request body size in bytes broken out by resource and verb.',
      stability: 'ALPHA',
      labels: ['resource', 'verb', 'group'],
      buckets: Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000),
    }),
    longRunning: registry.gauge({
      name: 'apiserver_longrunning_requests',
      help:
        'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and ' +
        'component. Not all requests are tracked this way.',
      stability: 'STABLE',
      labels: ['verb', ...where],
    }),
    own: registry.counter({
      name: 'apiserver_selfrequest_total',
      help: 'Counter of apiserver self-requests broken out for each verb, API resource and subresource.',
      stability: 'ALPHA',
      labels: ['verb', 'group', 'resource', 'subresource'],
    }),
    deprecated: registry.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help:
        'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, ' +
        'and removed_release.',
      stability: 'STABLE',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    }),
  };
}
