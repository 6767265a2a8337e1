import type { KubernetesObject } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { Bindings } from '@kubernode/machinery/cel';
import type { AdmissionRequest, Authorizer, ClusterState } from '../../seams.ts';
import { ExpressionAuthorizer } from '../expressions/authorizer.ts';
import { namespaceOf, requestBindings } from '../expressions/bindings.ts';
import type { Matched } from '../expressions/match-conditions.ts';
import type { MatchMetrics } from '../expressions/match-metrics.ts';
import { Views } from '../matching/views.ts';
import type { Invocation } from './invocations.ts';
import type { Policy } from './policy.ts';

export interface PolicyPluginDependencies {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly authorize: Authorizer;
  readonly matchMetrics: MatchMetrics;
}

/** Gives the expressions of all policies on one request their variables; made once for each version of the objects. */
export class Expressions {
  readonly #request: AdmissionRequest;
  readonly #state: ClusterState;
  readonly #authorizer: ExpressionAuthorizer;
  readonly #clock: Clock;
  readonly #matchMetrics: MatchMetrics;
  readonly views: Views;
  #namespace: object | null | undefined;

  constructor(request: AdmissionRequest, { state, authorize, clock, matchMetrics }: PolicyPluginDependencies) {
    this.#request = request;
    this.#clock = clock;
    this.#matchMetrics = matchMetrics;
    this.#state = state;
    this.#authorizer = new ExpressionAuthorizer(authorize, request);
    this.views = new Views(request.object, request.oldObject);
  }

  /** Throws NotFound for a namespace that is gone. */
  async run<T>(
    { policy, version }: Invocation<Policy>,
    param: KubernetesObject | undefined,
    evaluate: (bindings: Bindings) => T,
  ): Promise<T> {
    this.#namespace ??= namespaceOf(this.#state, this.#request);
    await this.views.prepare(version);
    const bindings = {
      ...requestBindings(this.#request, version, this.views),
      namespaceObject: this.#namespace,
      params: policy.paramKind ? (param ?? null) : undefined,
      ...this.#authorizer.bindings,
    };
    return this.#authorizer.settled(() => evaluate(bindings));
  }
  /** Whether the request is the policy's business, by its match conditions. Throws as `run` does. */
  async match(invocation: Invocation<Policy>, param: KubernetesObject | undefined): Promise<Matched | undefined> {
    const { conditions, name } = invocation.policy;
    if (!conditions) return undefined;
    const startedMs = this.#clock.now();
    const matched = await this.run(invocation, param, conditions);
    const elapsedMs = this.#clock.now() - startedMs;
    const owner = { name, kind: 'policy', type: 'validate' } as const;
    this.#matchMetrics.evaluated(owner, this.#request.operation, matched, elapsedMs);
    return matched;
  }
}
