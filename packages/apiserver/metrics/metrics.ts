import { AdmissionMetrics } from './admission.ts';
import { InFlightMetrics } from './in-flight.ts';
import { processMetrics } from './process.ts';
import { MetricsRegistry } from './registry.ts';
import { RequestMetrics } from './requests.ts';
import { RestClientMetrics } from './rest-client.ts';
import { WatchMetrics } from './watches.ts';
import { WorkqueueMetrics } from './workqueue.ts';

/** A server's metrics: what every request counts, and the registry for all else. */
export class Metrics {
  readonly registry = new MetricsRegistry();
  readonly requests = new RequestMetrics(this.registry);
  readonly watches = new WatchMetrics(this.registry);
  readonly admission = new AdmissionMetrics(this.registry);
  readonly workqueues = new WorkqueueMetrics(this.registry);
  readonly restClient = new RestClientMetrics(this.registry);
  readonly inFlight: InFlightMetrics;
  readonly tlsErrors = this.registry.counter({
    name: 'apiserver_tls_handshake_errors_total',
    help: "Number of requests dropped with 'TLS handshake error from' error",
    stability: 'ALPHA',
  });

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.inFlight = new InFlightMetrics(this.registry, now);
    processMetrics(this.registry);
  }
}
