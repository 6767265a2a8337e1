import { MetricsRegistry } from './registry.ts';
import { RequestMetrics } from './requests.ts';

/** A server's metrics: what every request counts, and the registry for all else. */
export class Metrics {
  readonly registry = new MetricsRegistry();
  readonly #requests = new RequestMetrics(this.registry);

  observe(...request: Parameters<RequestMetrics['observe']>): void {
    this.#requests.observe(...request);
  }
}
