import type { MetricsRegistry } from '../../metrics/registry.ts';

/** Which kinds of service account tokens are still in use. */
export interface ServiceAccountMetrics {
  /** A bound token was good; `warnAfter`: in seconds since the epoch, when its holder should have taken a new one. */
  used(warnAfter: number | undefined, nowMs: number): void;
  withoutAudience(): void;
  legacy(kind: 'manual' | 'auto' | 'invalid'): void;
}

/** Upstream's families (pkg/serviceaccount/metrics.go). */
export function serviceAccountMetrics(registry: MetricsRegistry): ServiceAccountMetrics {
  const counter = (name: string, help: string, stability: 'ALPHA' | 'BETA') =>
    registry.counter({ name: `serviceaccount_${name}`, help, stability }).of();
  const legacyTokens = counter('legacy_tokens_total', 'Cumulative legacy service account tokens used', 'BETA');
  const stale = counter('stale_tokens_total', 'Cumulative stale projected service account tokens used', 'BETA');
  const valid = counter('valid_tokens_total', 'Cumulative valid projected service account tokens used', 'BETA');
  const kinds = {
    manual: counter('legacy_manual_token_uses_total', 'Cumulative manually created legacy tokens used', 'ALPHA'),
    auto: counter('legacy_auto_token_uses_total', 'Cumulative auto-generated legacy tokens used', 'ALPHA'),
    invalid: counter(
      'invalid_legacy_auto_token_uses_total',
      'Cumulative invalid auto-generated legacy tokens used',
      'ALPHA',
    ),
  };
  return {
    used(warnAfter, nowMs) {
      if (!warnAfter) return;
      if (nowMs > warnAfter * 1000) stale.add();
      else valid.add();
    },
    withoutAudience: () => legacyTokens.add(),
    legacy: (kind) => kinds[kind].add(),
  };
}
