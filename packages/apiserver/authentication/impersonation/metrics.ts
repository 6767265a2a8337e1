import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../../metrics/registry.ts';
import type { Authorizer } from '../../seams.ts';
import type { Mode } from './modes.ts';

export interface ImpersonationMetrics {
  /** Begins an attempt; the answer ends it. */
  attempt(): (mode: string, decision: 'allowed' | 'denied') => void;
  counted(mode: Mode, authorize: Authorizer): Authorizer;
}

const buckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Upstream's families of impersonation (apiserver, filters/impersonation/metrics). */
export function impersonationMetrics(registry: MetricsRegistry, clock: Clock): ImpersonationMetrics {
  const labels = ['mode', 'decision'];
  const family = (name: string, total: string, seconds: string) => ({
    total: registry.counter({ name: `${name}_total`, help: total, stability: 'ALPHA', labels }),
    seconds: registry.histogram({
      name: `${name}_duration_seconds`,
      help: seconds,
      stability: 'ALPHA',
      labels,
      buckets,
    }),
  });
  const attempts = family(
    'apiserver_impersonation_attempts',
    'Total number of impersonation attempts split by mode and decision.',
    'Latency of impersonation attempts in seconds split by mode and decision.',
  );
  const checks = family(
    'apiserver_impersonation_authorization_attempts',
    'Total number of authorization checks made by the impersonation handler split by mode and decision.',
    'Latency of authorization checks made by the impersonation handler in seconds split by mode and decision.',
  );
  const begin = ({ total, seconds }: typeof attempts) => {
    const startedMs = clock.now();
    return (mode: string, decision: string) => {
      total.of(mode, decision).add();
      seconds.of(mode, decision).observe((clock.now() - startedMs) / 1000);
    };
  };
  return {
    attempt: () => begin(attempts),
    counted: (mode, authorize) => async (user, attributes) => {
      const done = begin(checks);
      const decision = await authorize(user, attributes);
      done(mode.name, decision.allowed ? 'allowed' : 'denied');
      return decision;
    },
  };
}
