import { createHash } from 'node:crypto';
import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { CounterSeries, HistogramSeries } from '../metrics/series.ts';
import type { Authorizer, Decision } from '../seams.ts';

export interface AuthorizationMetrics {
  /** Counts what the whole decided. */
  attempts(authorize: Authorizer): Authorizer;
  /** One authorizer decided for good. */
  decided(type: string, name: string, decision: 'allowed' | 'denied'): void;
  webhookAsked(name: string, result: 'success' | 'timeout' | 'error', durationMs: number): void;
  webhookFailedOpen(name: string, result: string): void;
  /** Runs the match conditions of a webhook. */
  matched(name: string, run: () => boolean): boolean;
  reloaded(isGood: boolean): void;
}

const attemptBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const conditionBuckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const webhookBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Upstream's families of authorization. */
export function authorizationMetrics(registry: MetricsRegistry, clock: Clock, serverId = ''): AuthorizationMetrics {
  const counter = (name: string, help: string, labels: readonly string[], stability: 'ALPHA' | 'BETA' = 'ALPHA') =>
    registry.counter({ name, help, stability, labels });
  const histogram = (name: string, help: string, labels: readonly string[], buckets: readonly number[]) =>
    registry.histogram({ name, help, stability: 'ALPHA', labels, buckets });
  const attempts = counter(
    'authorization_attempts_total',
    "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    ['result'],
  );
  const durations = histogram(
    'authorization_duration_seconds',
    'Authorization duration in seconds broken out by result.',
    ['result'],
    attemptBuckets,
  );
  const decisions = counter(
    'apiserver_authorization_decisions_total',
    'Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
    ['type', 'name', 'decision'],
  );
  const webhooks = webhookFamilies(counter, histogram);
  const conditions = conditionFamilies(counter, histogram);
  const reloads = reloadFamilies(registry, counter, serverId);
  const known = new Map<string, { readonly attempts: CounterSeries; readonly durations: HistogramSeries }>();
  const ended = (decision: Decision, startedMs: number): Decision => {
    const result = resultOf(decision);
    let series = known.get(result);
    if (!series) known.set(result, (series = { attempts: attempts.of(result), durations: durations.of(result) }));
    series.attempts.add();
    series.durations.observe((clock.now() - startedMs) / 1000);
    return decision;
  };
  return {
    attempts: (authorize) => (user, attributes) => {
      const startedMs = clock.now();
      const decision = authorize(user, attributes);
      return decision instanceof Promise
        ? decision.then((later) => ended(later, startedMs))
        : ended(decision, startedMs);
    },
    decided: (type, name, decision) => decisions.of(type, name, decision).add(),
    ...webhooks,
    matched: (name, run) => conditions(name, run, clock),
    reloaded: (isGood) => reloads(isGood, clock.now()),
  };
}

function resultOf(decision: Decision): string {
  if (decision.allowed) return 'allowed';
  if (decision.error !== undefined) return 'error';
  return decision.denied ? 'denied' : 'no-opinion';
}

type MakeCounter = (
  name: string,
  help: string,
  labels: readonly string[],
  stability?: 'ALPHA' | 'BETA',
) => ReturnType<MetricsRegistry['counter']>;
type MakeHistogram = (
  name: string,
  help: string,
  labels: readonly string[],
  buckets: readonly number[],
) => ReturnType<MetricsRegistry['histogram']>;

function webhookFamilies(counter: MakeCounter, histogram: MakeHistogram) {
  const prefix = 'apiserver_authorization_webhook';
  const labels = ['name', 'result'];
  const evaluations = counter(`${prefix}_evaluations_total`, 'Round-trips to authorization webhooks.', labels);
  const seconds = histogram(`${prefix}_duration_seconds`, 'Request latency in seconds.', labels, webhookBuckets);
  const open = counter(
    `${prefix}_evaluations_fail_open_total`,
    'NoOpinion results due to webhook timeout or error.',
    labels,
  );
  return {
    webhookAsked(name: string, result: string, durationMs: number) {
      evaluations.of(name, result).add();
      seconds.of(name, result).observe(durationMs / 1000);
    },
    webhookFailedOpen: (name: string, result: string) => open.of(name, result).add(),
  };
}

function conditionFamilies(counter: MakeCounter, histogram: MakeHistogram) {
  const prefix = 'apiserver_authorization_match_condition';
  const labels = ['type', 'name'];
  const errors = counter(
    `${prefix}_evaluation_errors_total`,
    'Total number of errors when an authorization webhook encounters a match condition error split by authorizer type and name.',
    labels,
  );
  const exclusions = counter(
    `${prefix}_exclusions_total`,
    'Total number of exclusions when an authorization webhook is skipped because match conditions exclude it.',
    labels,
  );
  const seconds = histogram(
    `${prefix}_evaluation_seconds`,
    'Authorization match condition evaluation time in seconds, split by authorizer type and name.',
    labels,
    conditionBuckets,
  );
  return (name: string, run: () => boolean, clock: Clock): boolean => {
    const startedMs = clock.now();
    try {
      const isMatch = run();
      if (!isMatch) exclusions.of('Webhook', name).add();
      return isMatch;
    } catch (error) {
      errors.of('Webhook', name).add();
      throw error;
    } finally {
      seconds.of('Webhook', name).observe((clock.now() - startedMs) / 1000);
    }
  };
}

function reloadFamilies(registry: MetricsRegistry, counter: MakeCounter, serverId: string) {
  const labels = ['status', 'apiserver_id_hash'];
  const prefix = 'apiserver_authorization_config_controller_automatic_reload';
  const reloads = counter(
    `${prefix}s_total`,
    'Total number of automatic reloads of authorization configuration split by status and apiserver identity.',
    labels,
    'BETA',
  );
  const last = registry.gauge({
    name: `${prefix}_last_timestamp_seconds`,
    help: 'Timestamp of the last automatic reload of authorization configuration split by status and apiserver identity.',
    stability: 'BETA',
    labels,
  });
  const server = `sha256:${createHash('sha256').update(serverId).digest('hex')}`;
  return (isGood: boolean, nowMs: number) => {
    const status = isGood ? 'success' : 'failure';
    reloads.of(status, server).add();
    last.of(status, server).set(nowMs / 1000);
  };
}
