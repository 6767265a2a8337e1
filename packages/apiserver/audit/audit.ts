import type { User } from '@kubernode/api';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Counter, MetricsRegistry } from '../metrics/registry.ts';
import type { ServerRequest } from '../request.ts';
import type { Attributes } from '../seams.ts';
import { AuditedRequest } from './audited-request.ts';
import { eventLine, type AuditEvent } from './event.ts';
import { policyEvaluator, type Policy } from './policy.ts';
import { writeEvent, type AuditSink, type EventFormat, type TruncateOptions } from './sink.ts';

export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** One way that events go. */
export interface AuditBackend {
  readonly sink: AuditSink;
  readonly mode: AuditMode;
  readonly format: EventFormat;
  readonly truncate?: TruncateOptions | undefined;
}

interface AuditParts {
  readonly policy: Policy;
  readonly backends: readonly AuditBackend[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** The metrics are there also where nothing is audited. */
export function auditCounters(metrics: MetricsRegistry) {
  const counter = (name: string, help: string, labels?: readonly string[]) =>
    metrics.counter({ name: `apiserver_audit_${name}`, help, stability: 'ALPHA', labels });
  return {
    events: counter('event_total', 'Counter of audit events generated and sent to the audit backend.'),
    errors: counter(
      'error_total',
      'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
      ['plugin'],
    ),
    levels: counter('level_total', 'Counter of policy levels for audit events (1 per request).', ['level']),
    rejected: counter(
      'requests_rejected_total',
      'Counter of apiserver requests rejected due to an error in audit logging backend.',
    ),
  };
}

/** Writes down who did what, by the policy (audit.k8s.io/v1). */
export class Audit {
  readonly #evaluate: ReturnType<typeof policyEvaluator>;
  readonly #parts: AuditParts;
  readonly #events: Counter;
  readonly #errors: Counter;
  readonly #levels: Counter;
  readonly #rejected: Counter;

  constructor(parts: AuditParts) {
    const { metrics } = parts;
    this.#parts = parts;
    this.#evaluate = policyEvaluator(parts.policy);
    const { events, errors, levels, rejected } = auditCounters(metrics);
    this.#events = events;
    this.#errors = errors;
    this.#levels = levels;
    this.#rejected = rejected;
  }

  /** undefined for requests that are not written down. */
  begin(
    request: ServerRequest,
    attributes: Attributes,
    user: User | undefined,
    { auditId, receivedMs }: { readonly auditId: string; readonly receivedMs: number },
  ): AuditedRequest | undefined {
    const ruling = this.#evaluate(user, attributes);
    this.#levels.of(ruling.level).add();
    if (ruling.level === 'None') return undefined;
    const begun = { request, attributes, user, auditId, receivedMs, ruling };
    return new AuditedRequest(begun, this.#parts.clock, (event) => this.#process(event));
  }

  /** A request could not be written down, and is not answered therefore. */
  countRejected(): void {
    this.#rejected.of().add();
  }

  /** Counts events that a sink could not keep. */
  lost(plugin: string, count: number, why: string): void {
    this.#errors.of(plugin).add(count);
    this.#parts.log.error('audit events are lost', { plugin, count, why });
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.backends.map(({ sink }) => sink.close()));
  }

  #process(event: AuditEvent): boolean | Promise<boolean> {
    this.#events.of().add();
    let pending: Promise<boolean>[] | undefined;
    let isKept = true;
    for (const backend of this.#parts.backends) {
      const kept = this.#hand(backend, event);
      if (kept instanceof Promise) (pending ??= []).push(kept);
      else isKept &&= kept;
    }
    if (!pending) return isKept;
    return Promise.all(pending).then((all) => isKept && all.every(Boolean));
  }

  #hand({ sink, mode, format, truncate }: AuditBackend, event: AuditEvent): boolean | Promise<boolean> {
    const fails = (error: unknown): boolean => {
      this.lost(sink.name, 1, `${String(error)}: ${eventLine(event)}`);
      return mode !== 'blocking-strict' || event.stage !== 'RequestReceived';
    };
    const written = writeEvent(event, format, truncate);
    if (!written) {
      this.lost('truncate', 1, 'event is too large even after truncating');
      return true;
    }
    try {
      const kept = sink.process([written]);
      return kept instanceof Promise ? kept.catch(fails) : kept;
    } catch (error) {
      return fails(error);
    }
  }
}
