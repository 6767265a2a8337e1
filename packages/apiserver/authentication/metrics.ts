import type { User } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { CounterSeries, HistogramSeries } from '../metrics/series.ts';
import type { Authenticator } from '../seams.ts';

export interface AuthenticationMetrics {
  counted(authenticate: Authenticator): Authenticator;
}

const buckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** The users that are told apart: others must not fill the memory (apiserver, filters/metrics.go). */
const namedUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

/** Upstream's families of authentication. */
export function authenticationMetrics(registry: MetricsRegistry, clock: Clock): AuthenticationMetrics {
  const users = registry.counter({
    name: 'authenticated_user_requests',
    help: 'Counter of authenticated requests broken out by username.',
    stability: 'ALPHA',
    labels: ['username'],
  });
  const attempts = registry.counter({
    name: 'authentication_attempts',
    help: 'Counter of authenticated attempts.',
    stability: 'ALPHA',
    labels: ['result'],
  });
  const durations = registry.histogram({
    name: 'authentication_duration_seconds',
    help: 'Authentication duration in seconds broken out by result.',
    stability: 'ALPHA',
    labels: ['result'],
    buckets,
  });
  const known = new Map<string, { readonly attempts: CounterSeries; readonly durations: HistogramSeries }>();
  const byName = new Map<string, CounterSeries>();
  const ended = (result: 'success' | 'error' | 'failure', startedMs: number): void => {
    let series = known.get(result);
    if (!series) known.set(result, (series = { attempts: attempts.of(result), durations: durations.of(result) }));
    series.attempts.add();
    series.durations.observe((clock.now() - startedMs) / 1000);
  };
  const succeeded = (user: User, startedMs: number): User => {
    ended('success', startedMs);
    const name = namedUsers.has(user.name) ? user.name : user.name.includes('@') ? 'email_id' : 'other';
    let counter = byName.get(name);
    if (!counter) byName.set(name, (counter = users.of(name)));
    counter.add();
    return user;
  };
  // What was shown and wrong has a cause; nothing that was shown, and nobody anonymous, has none.
  const failed = (error: unknown, startedMs: number): void =>
    ended((error as Error).cause === undefined ? 'failure' : 'error', startedMs);
  return {
    counted: (authenticate) => (credentials) => {
      const startedMs = clock.now();
      let found: User | Promise<User>;
      try {
        found = authenticate(credentials);
      } catch (error) {
        failed(error, startedMs);
        throw error;
      }
      if (!(found instanceof Promise)) return succeeded(found, startedMs);
      return found.then(
        (user) => succeeded(user, startedMs),
        (error: unknown) => {
          failed(error, startedMs);
          throw error;
        },
      );
    },
  };
}
