import { StatusError, type KubernetesObject } from '@kubernode/api';
import { deepClone, deepEqual } from '@kubernode/machinery';
import { runtimeCostBudget } from '@kubernode/machinery/cel';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import { BudgetError, Evaluation, type Outcome } from '../expressions/evaluation.ts';
import type { ReviewedRequest } from '../matching/reviewed-request.ts';
import { refuse } from '../refuse.ts';
import { Reinvocations } from '../webhooks/reinvocations.ts';
import { Expressions, type PolicyPluginDependencies } from './expressions.ts';
import { counting, matchPolicies, refusedAs, type Invocation, type Matched } from './invocations.ts';
import type { PolicyMetrics } from './metrics.ts';
import type { Mutation, MutatingPolicy } from './mutating-policy.ts';
import { applyObject, MutationError, patchObject } from './patches.ts';
import type { PolicySource } from './policy.ts';

export interface MutatingPolicyDependencies extends PolicyPluginDependencies {
  readonly metrics: PolicyMetrics;
}

/** MutatingAdmissionPolicy: expressions that change objects (KEP-3962). There is nothing to change in a deletion. */
export function mutatingPolicies(
  source: PolicySource<MutatingPolicy>,
  dependencies: MutatingPolicyDependencies,
): AdmissionPlugin {
  const name = 'MutatingAdmissionPolicy';
  return {
    name,
    connects: true,
    mutate(request) {
      if (request.operation === 'DELETE') return undefined;
      const policies = source.policiesFor(request.attributes);
      const matched = policies.length > 0 ? matchPolicies(policies, request) : undefined;
      const { review } = request;
      if (!matched || !review) return undefined;
      const reinvocations = Reinvocations.of(review.reinvocation, name);
      return new MutatingRound(request, review, reinvocations, dependencies).run(matched);
    },
  };
}

interface Failure {
  readonly policy: MutatingPolicy;
  readonly bindingName: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** All policies on one request, once. */
class MutatingRound {
  readonly #request: AdmissionRequest;
  readonly #review: ReviewedRequest;
  readonly #reinvocations: Reinvocations;
  readonly #dependencies: MutatingPolicyDependencies;
  readonly #expressions: Expressions;
  readonly #failures: Failure[] = [];
  #hasMutated = false;

  constructor(
    request: AdmissionRequest,
    review: ReviewedRequest,
    reinvocations: Reinvocations,
    dependencies: MutatingPolicyDependencies,
  ) {
    this.#request = request;
    this.#review = review;
    this.#reinvocations = reinvocations;
    this.#dependencies = dependencies;
    this.#expressions = new Expressions(request, dependencies);
  }

  async run({ invocations, misconfigurations }: Matched<MutatingPolicy>): Promise<void> {
    for (const { policy, binding, message } of counting(misconfigurations)) {
      this.#failures.push({ policy, bindingName: binding?.name, message, reason: '' });
    }
    const { object } = this.#request;
    this.#reinvocations.begin(object);
    for (const invocation of invocations) {
      for (const param of invocation.params) await this.#invoke(invocation, param);
    }
    // Unlike a webhook, a policy is run again after its own change, too.
    if (this.#hasMutated) this.#reinvocations.changed(this.#review.reinvocation);
    this.#reinvocations.end(object);
    this.#refuse();
  }

  async #invoke(invocation: Invocation<MutatingPolicy>, param: KubernetesObject | undefined): Promise<void> {
    const { policy, binding } = invocation;
    const matched = await this.#expressions.match(invocation, param);
    if (matched?.error !== undefined) this.#fail(invocation, matched.error);
    if (matched?.matches === false) return;
    const { reinvocation } = this.#review;
    const id = JSON.stringify([policy.name, binding.name, param?.metadata.namespace, param?.metadata.name]);
    if (reinvocation.isSecondRound && !this.#reinvocations.isDue(id)) return;
    const before = deepClone(this.#request.object);
    for (const mutation of policy.mutations) await this.#mutate(invocation, param, mutation);
    if (!deepEqual(before, this.#request.object)) this.#reinvocations.changed(reinvocation);
    if (policy.isReinvocable) this.#reinvocations.ran(id);
  }

  async #mutate(
    invocation: Invocation<MutatingPolicy>,
    param: KubernetesObject | undefined,
    mutation: Mutation,
  ): Promise<void> {
    const { policy, binding } = invocation;
    const { clock, metrics } = this.#dependencies;
    const startedMs = clock.now();
    const failure = await this.#attempt(invocation, param, mutation);
    const outcome = { isError: failure !== undefined, message: failure ?? '' };
    metrics.checked(policy.name, binding.name, outcome, '', clock.now() - startedMs);
    if (failure !== undefined) this.#fail(invocation, failure);
  }

  /** What went wrong. Throws StatusError for what no failure policy ignores. */
  async #attempt(
    invocation: Invocation<MutatingPolicy>,
    param: KubernetesObject | undefined,
    { type, expression }: Mutation,
  ): Promise<string | undefined> {
    const { policy, version } = invocation;
    if (!expression.program) return expression.error;
    try {
      const evaluate = (bindings: object): Outcome =>
        new Evaluation({ ...bindings }, runtimeCostBudget, policy.compiler.variables).run(expression);
      const { value, error } = await this.#expressions.run(invocation, param, evaluate);
      if (error !== undefined) return error;
      const view = this.#expressions.views.object(version);
      if (!view) return undefined;
      const change = type === 'JSONPatch' ? patchObject : applyObject;
      await this.#review.replace(change(value, view.value, version), version);
      this.#expressions.views.forget();
      this.#hasMutated = true;
      return undefined;
    } catch (error) {
      if (error instanceof MutationError || error instanceof BudgetError) return error.message;
      throw error instanceof StatusError ? error : StatusError.from(new Error((error as Error).message));
    }
  }

  #fail({ policy, binding }: Invocation<MutatingPolicy>, message: string): void {
    if (!policy.failsOpen) this.#failures.push({ policy, bindingName: binding.name, message, reason: 'Invalid' });
  }

  /** The first failure is told, all are causes. */
  #refuse(): void {
    const [first] = this.#failures;
    if (!first) return;
    const causes = this.#failures.map(({ policy, bindingName, message }) =>
      bindingName === undefined
        ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
        : `policy '${policy.name}' with binding '${bindingName}' denied request: ${message}`,
    );
    const refusal = refuse(this.#request, 'admission request denied by policy');
    const reason = first.reason ? { reason: first.reason } : {};
    throw refusedAs(refusal, { ...reason, message: causes[0]!, causes });
  }
}
