import type { Counter, Gauge, MetricsRegistry } from '../metrics/registry.ts';

export interface AggregationMetrics {
  readonly unavailable: Gauge;
  readonly becameUnavailable: Counter;
}

/** Upstream's metrics of the availability of extension servers. */
export function aggregationMetrics(metrics: MetricsRegistry): AggregationMetrics {
  return {
    unavailable: metrics.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: 'Gauge of APIServices which are marked as unavailable broken down by APIService name.',
      stability: 'ALPHA',
      labels: ['name'],
    }),
    becameUnavailable: metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
      stability: 'ALPHA',
      labels: ['name', 'reason'],
    }),
  };
}
