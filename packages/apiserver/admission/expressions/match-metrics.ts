import type { Counter, Histogram, MetricsRegistry } from '../../metrics/registry.ts';
import type { AdmissionRequest } from '../../seams.ts';
import type { Matched } from './match-conditions.ts';

/** Whose conditions they are, as metrics name them. */
export interface ConditionOwner {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validate';
}

/** Upstream's metrics of match conditions. */
export class MatchMetrics {
  readonly #errors: Counter;
  readonly #exclusions: Counter;
  readonly #seconds: Histogram;

  constructor(metrics: MetricsRegistry) {
    const prefix = 'apiserver_admission_match_condition_';
    const common = { stability: 'ALPHA', labels: ['name', 'kind', 'type', 'operation'] } as const;
    const rest =
      'identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).';
    this.#errors = metrics.counter({
      ...common,
      name: `${prefix}evaluation_errors_total`,
      help: `Admission match condition evaluation errors count, ${rest}`,
    });
    this.#exclusions = metrics.counter({
      ...common,
      name: `${prefix}exclusions_total`,
      help: `Admission match condition evaluation exclusions count, ${rest}`,
    });
    this.#seconds = metrics.histogram({
      ...common,
      name: `${prefix}evaluation_seconds`,
      help: 'Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
      buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
    });
  }

  /** The conditions of one webhook or policy were evaluated. */
  evaluated(
    { name, kind, type }: ConditionOwner,
    operation: AdmissionRequest['operation'],
    matched: Matched,
    elapsedMs: number,
  ): void {
    const labels = [name, kind, type, operation];
    this.#seconds.of(...labels).observe(elapsedMs / 1000);
    if (matched.failures > 0) this.#errors.of(...labels).add(matched.failures);
    // Of policies, upstream does not count them.
    if (kind === 'webhook' && !matched.matches && matched.error === undefined) this.#exclusions.of(...labels).add();
  }
}
