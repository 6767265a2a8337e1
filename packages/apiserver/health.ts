import { MetricsRegistry } from './metrics/registry.ts';
import type { ServerResponse } from './request.ts';

/** One thing that must be in order. */
export interface HealthCheck {
  readonly name: string;
  readonly isHealthy: () => boolean;
  /** The endpoints that ask; all of them where nothing is said. */
  readonly only?: readonly Endpoint[] | undefined;
}

export type Endpoint = 'healthz' | 'livez' | 'readyz';

const always = () => true;
const plainText = 'text/plain; charset=utf-8';

/**
 * The hooks that upstream runs after its start, in its order. Where one has work to do here, a hook of that name is among
 * the server's; what another one would start (informers, controllers) is there before the server answers.
 */
const postStartHooks: readonly string[] = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'autoregister-completion',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
];

/** The named checks behind /healthz, /livez and /readyz. */
export class Health {
  readonly #checks: HealthCheck[] = [];
  readonly #pending = new Set<string>();
  /** What the checks found, for /metrics/slis. */
  readonly slis = new MetricsRegistry();
  readonly #state = this.slis.gauge({
    name: 'kubernetes_healthcheck',
    help: 'This metric records the result of a single healthcheck.',
    stability: 'STABLE',
    labels: ['name', 'type'],
  });
  readonly #total = this.slis.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'This metric records the results of all healthcheck.',
    stability: 'STABLE',
    labels: ['name', 'type', 'status'],
  });

  /** `isFollowing`: the store is there, and its changes arrive. `isKept`: what is written now will be found again. */
  constructor(isFollowing: () => boolean, isKept: () => boolean = always) {
    this.add({ name: 'ping', isHealthy: always });
    this.add({ name: 'log', isHealthy: always });
    this.add({ name: 'loopback-serving-certificate', isHealthy: always, only: ['healthz', 'livez'] });
    this.add({ name: 'etcd', isHealthy: isFollowing });
    this.add({ name: 'etcd-readiness', isHealthy: () => isFollowing() && isKept(), only: ['readyz'] });
    this.add({ name: 'informer-sync', isHealthy: isFollowing, only: ['readyz'] });
    for (const name of postStartHooks) this.#addHook(name);
  }

  add(check: HealthCheck): void {
    this.#checks.push(check);
  }

  /** A hook has work to do; until `done` its check fails. */
  expect(hook: string): { done(): void } {
    this.#pending.add(hook);
    if (!postStartHooks.includes(hook)) this.#addHook(hook);
    return { done: () => void this.#pending.delete(hook) };
  }

  /** Where checks can be asked for, one by one: `/readyz`, `/readyz/ping`. */
  paths(): string[] {
    return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checksOf(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /** Answers `/readyz`, `/readyz/ping`; undefined for other paths. */
  answer(path: string, query: URLSearchParams): ServerResponse | undefined {
    const [, root = '', ...rest] = path.split('/');
    if (root !== 'healthz' && root !== 'livez' && root !== 'readyz') return undefined;
    const checks = this.#checksOf(root);
    const name = rest.join('/');
    if (name !== '') {
      const check = checks.find((candidate) => candidate.name === name);
      if (!check) return undefined;
      if (!this.#isHealthy(check, root)) return text(500, 'internal server error: not healthy\n');
      return { code: 200, content: { type: 'bytes', contentType: plainText, bytes: 'ok' } };
    }
    return path === `/${root}` ? this.#summary(root, checks, query) : undefined;
  }

  #checksOf(endpoint: Endpoint): HealthCheck[] {
    return this.#checks.filter(({ only }) => only?.includes(endpoint) ?? true);
  }

  #addHook(hook: string): void {
    const name = hook === 'autoregister-completion' ? hook : `poststarthook/${hook}`;
    this.add({ name, isHealthy: () => !this.#pending.has(hook) });
  }

  #isHealthy({ name, isHealthy }: HealthCheck, endpoint: Endpoint): boolean {
    const isGood = isHealthy();
    this.#state.of(name, endpoint).set(isGood ? 1 : 0);
    this.#total.of(name, endpoint, isGood ? 'success' : 'error').add();
    return isGood;
  }

  #summary(endpoint: Endpoint, checks: readonly HealthCheck[], query: URLSearchParams): ServerResponse {
    const excluded = new Set(query.getAll('exclude'));
    const unknown = new Set(excluded);
    let hasFailed = false;
    const lines = checks.map((check) => {
      unknown.delete(check.name);
      if (excluded.has(check.name)) return `[+]${check.name} excluded: ok`;
      if (this.#isHealthy(check, endpoint)) return `[+]${check.name} ok`;
      hasFailed = true;
      return `[-]${check.name} failed: reason withheld`;
    });
    if (unknown.size > 0) {
      const names = [...unknown].sort().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
    }
    if (hasFailed) return text(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
    return query.has('verbose') ? text(200, `${lines.join('\n')}\n${endpoint} check passed\n`) : text(200, 'ok');
  }
}

function text(code: number, bytes: string): ServerResponse {
  const headers = { 'x-content-type-options': 'nosniff' };
  return { code, headers, content: { type: 'bytes', contentType: plainText, bytes } };
}
