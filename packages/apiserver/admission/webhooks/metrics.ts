import type { Counter, Histogram, MetricsRegistry } from '../../metrics/registry.ts';
import type { AdmissionRequest } from '../../seams.ts';
import { CallingWebhookError, WebhookRejection } from './failures.ts';

const codeMax = 600;

/** Upstream's metrics of admission webhooks. */
export class WebhookMetrics {
  readonly #duration: Histogram;
  readonly #requests: Counter;
  readonly #rejections: Counter;
  readonly #failOpen: Counter;

  constructor(metrics: MetricsRegistry) {
    const prefix = 'apiserver_admission_webhook_';
    this.#duration = metrics.histogram({
      name: `${prefix}admission_duration_seconds`,
      help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
      stability: 'STABLE',
      labels: ['name', 'type', 'operation', 'rejected'],
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    });
    this.#requests = metrics.counter({
      name: `${prefix}request_total`,
      help: 'Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
      stability: 'ALPHA',
      labels: ['name', 'type', 'operation', 'code', 'rejected'],
    });
    this.#rejections = metrics.counter({
      name: `${prefix}rejection_count`,
      help: 'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
      stability: 'ALPHA',
      labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    });
    this.#failOpen = metrics.counter({
      name: `${prefix}fail_open_count`,
      help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
      stability: 'ALPHA',
      labels: ['name', 'type'],
    });
  }

  /** One call; `error` is what it threw. */
  called(
    webhook: { readonly name: string; readonly failsOpen: boolean },
    type: 'admit' | 'validating',
    operation: AdmissionRequest['operation'],
    elapsedMs: number,
    error: unknown,
  ): void {
    const { name, failsOpen } = webhook;
    const code = String(Math.min(codeOf(error), codeMax));
    const isRejected = error !== undefined && !(error instanceof CallingWebhookError && failsOpen);
    this.#requests.of(name, type, operation, code, String(isRejected)).add();
    this.#duration.of(name, type, operation, String(isRejected)).observe(elapsedMs / 1000);
    if (isRejected) this.#rejections.of(name, type, operation, errorType(error), code).add();
    else if (error !== undefined) this.#failOpen.of(name, type).add();
  }
}

function codeOf(error: unknown): number {
  if (error === undefined) return 200;
  if (error instanceof CallingWebhookError) return error.code;
  return error instanceof WebhookRejection ? error.status.code : 0;
}

function errorType(error: unknown): string {
  if (error instanceof CallingWebhookError) return 'calling_webhook_error';
  return error instanceof WebhookRejection ? 'no_error' : 'apiserver_internal_error';
}
