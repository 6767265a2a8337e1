import type { CounterSeries, HistogramSeries } from './series.ts';
import type { Counter, Histogram, MetricsRegistry } from './registry.ts';

/** The series of the watches of one resource. */
export interface WatchSeries {
  readonly events: CounterSeries;
  readonly sizes: HistogramSeries;
}

/** Counts what watches send. */
export class WatchMetrics {
  readonly #events: Counter;
  readonly #sizes: Histogram;

  constructor(registry: MetricsRegistry) {
    const labels = ['group', 'version', 'resource'];
    this.#events = registry.counter({
      name: 'apiserver_watch_events_total',
      help: 'Number of events sent in watch clients',
      stability: 'BETA',
      labels,
    });
    this.#sizes = registry.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Watch event size distribution in bytes',
      stability: 'BETA',
      labels,
      buckets: [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072],
    });
  }

  /** A resource that can be watched: its counter begins at nothing, so that its rate is known from the first event on. */
  expect(group: string, version: string, resource: string): void {
    this.#events.of(group, version, resource);
  }

  of(group: string, version: string, resource: string): WatchSeries {
    return { events: this.#events.of(group, version, resource), sizes: this.#sizes.of(group, version, resource) };
  }
}
