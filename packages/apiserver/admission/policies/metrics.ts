import type { Counter, Histogram, MetricsRegistry } from '../../metrics/registry.ts';

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];

/** Upstream's metrics of admission policies. */
export class PolicyMetrics {
  readonly #checks: Counter;
  readonly #durations: Histogram;
  readonly #hasAction: boolean;

  private constructor(checks: Counter, durations: Histogram, hasAction: boolean) {
    this.#checks = checks;
    this.#durations = durations;
    this.#hasAction = hasAction;
  }

  static validating(metrics: MetricsRegistry): PolicyMetrics {
    const labels = ['policy', 'policy_binding', 'error_type', 'enforcement_action'];
    const common = { stability: 'BETA', labels } as const;
    const prefix = 'apiserver_validating_admission_policy_check_';
    return new PolicyMetrics(
      metrics.counter({
        ...common,
        name: `${prefix}total`,
        help: 'Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
      }),
      metrics.histogram({
        ...common,
        buckets,
        name: `${prefix}duration_seconds`,
        help: 'Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
      }),
      true,
    );
  }

  static mutating(metrics: MetricsRegistry): PolicyMetrics {
    const common = { stability: 'ALPHA', labels: ['policy', 'policy_binding', 'error_type'] } as const;
    const prefix = 'apiserver_mutating_admission_policy_check_';
    return new PolicyMetrics(
      metrics.counter({
        ...common,
        name: `${prefix}total`,
        help: 'Mutation admission policy check total, labeled by policy and further identified by binding.',
      }),
      metrics.histogram({
        ...common,
        buckets,
        name: `${prefix}duration_seconds`,
        help: 'Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
      }),
      false,
    );
  }

  /** One expression; `action`: allow, deny, warn or audit. */
  checked(
    policy: string,
    binding: string,
    outcome: { readonly isError: boolean; readonly message: string },
    action: string,
    elapsedMs: number,
  ): void {
    const labels = [policy, binding, errorType(outcome), ...(this.#hasAction ? [action] : [])];
    this.#checks.of(...labels).add();
    this.#durations.of(...labels).observe(elapsedMs / 1000);
  }
}

function errorType({ isError, message }: { readonly isError: boolean; readonly message: string }): string {
  if (!isError) return 'no_error';
  if (message.startsWith('compilation')) return 'compile_error';
  if (message.startsWith('validation failed due to running out of cost budget')) return 'out_of_budget';
  return 'invalid_error';
}
