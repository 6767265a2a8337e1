import type { Counter, Gauge, MetricsRegistry } from './registry.ts';

/** One queue's numbers: what waits, and what was ever added. */
export interface QueueMetrics {
  /** Something waits to be worked on. */
  added(): void;
  /** It is being worked on, or given up. */
  taken(): void;
}

/** Upstream's families about the queues of the server's own controllers. */
export class WorkqueueMetrics {
  readonly #depth: Gauge;
  readonly #adds: Counter;

  constructor(registry: MetricsRegistry) {
    const labels = ['name'];
    const stability = 'BETA';
    this.#depth = registry.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', stability, labels });
    this.#adds = registry.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      stability,
      labels,
    });
  }

  of(name: string): QueueMetrics {
    const depth = this.#depth.of(name);
    const adds = this.#adds.of(name);
    return {
      added() {
        depth.add(1);
        adds.add();
      },
      taken: () => depth.add(-1),
    };
  }
}
