import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import { refuse } from '../refuse.ts';
import { codeOfReason, counting, matchPolicies, refusedAs, type Invocation, type Matched } from './invocations.ts';
import type { PolicyMetrics } from './metrics.ts';
import { Expressions, type PolicyPluginDependencies } from './expressions.ts';
import type { PolicySource } from './policy.ts';
import { judge, type Decision, type Judgement, type ValidatingPolicy } from './validating-policy.ts';

const annotationBytesMax = 10 * 1024;
const failuresMax = 50;
const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

export interface ValidatingPolicyDependencies extends PolicyPluginDependencies {
  readonly metrics: PolicyMetrics;
}

/** ValidatingAdmissionPolicy: expressions that decide, warn, or tell the audit (KEP-3488). */
export function validatingPolicies(
  source: PolicySource<ValidatingPolicy>,
  dependencies: ValidatingPolicyDependencies,
): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    connects: true,
    validate(request) {
      const policies = source.policiesFor(request.attributes);
      if (policies.length === 0) return undefined;
      const matched = matchPolicies(policies, request);
      return matched && new Verdict(request, dependencies).pass(matched);
    },
  };
}

interface Denial {
  readonly policyName: string;
  readonly bindingName: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** What all policies together say of one request. */
class Verdict {
  readonly #request: AdmissionRequest;
  readonly #dependencies: ValidatingPolicyDependencies;
  readonly #denials: Denial[] = [];
  readonly #failures: object[] = [];
  /** By policy and key. */
  readonly #annotations = new Map<string, string[]>();

  constructor(request: AdmissionRequest, dependencies: ValidatingPolicyDependencies) {
    this.#request = request;
    this.#dependencies = dependencies;
  }

  /** Throws StatusError where a policy denies. */
  async pass({ invocations, misconfigurations }: Matched<ValidatingPolicy>): Promise<void> {
    for (const { policy, binding, message } of counting(misconfigurations)) {
      this.#denials.push({ policyName: policy.name, bindingName: binding?.name, message, reason: '' });
    }
    const expressions = new Expressions(this.#request, this.#dependencies);
    for (const invocation of invocations) {
      if (invocation.params.length === 0) continue;
      for (const param of invocation.params) {
        const { clock } = this.#dependencies;
        const startedMs = clock.now();
        const matched = await expressions.match(invocation, param);
        const judgement = await expressions.run(invocation, param, (bindings) =>
          judge(invocation.policy, bindings, matched),
        );
        this.#enforce(invocation, judgement, clock.now() - startedMs);
      }
    }
    this.#publish();
    this.#refuse();
  }

  #enforce(invocation: Invocation<ValidatingPolicy>, { decisions, annotations }: Judgement, elapsedMs: number): void {
    const { policy, binding } = invocation;
    const { metrics } = this.#dependencies;
    decisions.forEach((decision, index) => {
      if (decision.action === 'deny') this.#act(invocation, decision, index, elapsedMs);
      else if (decision.isError) metrics.checked(policy.name, binding.name, decision, 'allow', elapsedMs);
    });
    for (const annotation of annotations) {
      if (annotation.error === undefined) this.#annotate(policy.name, annotation.key, annotation.value);
      else {
        const decision = { isError: true, message: annotation.error };
        this.#deny(invocation, { ...decision, reason: '' });
        metrics.checked(policy.name, binding.name, decision, 'deny', elapsedMs);
      }
    }
  }

  #act(invocation: Invocation<ValidatingPolicy>, decision: Decision, index: number, elapsedMs: number): void {
    const { policy, binding } = invocation;
    const { metrics } = this.#dependencies;
    for (const action of binding.actions) {
      if (action === 'Deny') this.#deny(invocation, decision);
      else if (action === 'Warn') {
        const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        this.#request.warn(`Validation failed for ${who}: ${decision.message}`);
      } else {
        this.#failures.push({
          message: decision.message,
          policy: binding.policyName,
          binding: binding.name,
          expressionIndex: index,
          validationActions: binding.actions,
        });
      }
      metrics.checked(policy.name, binding.name, decision, action.toLowerCase(), elapsedMs);
    }
  }

  #deny(
    { policy, binding }: Invocation<ValidatingPolicy>,
    { message, reason }: Pick<Denial, 'message' | 'reason'>,
  ): void {
    this.#denials.push({ policyName: policy.name, bindingName: binding.name, message, reason });
  }

  #annotate(policyName: string, key: string, value: string): void {
    const full = `${policyName}/${key}`;
    const values = this.#annotations.get(full) ?? [];
    this.#annotations.set(full, values);
    const short = Buffer.from(value).subarray(0, annotationBytesMax).toString('utf8');
    if (!values.includes(short)) values.push(short);
  }

  #publish(): void {
    const { annotate } = this.#request;
    if (!annotate) return;
    for (const [key, values] of this.#annotations) annotate(key, values.join(', '));
    if (this.#failures.length > 0) annotate(failureKey, JSON.stringify(this.#failures.slice(0, failuresMax)));
  }

  /** The first denial is told. */
  #refuse(): void {
    const [denial] = this.#denials;
    if (!denial) return;
    const { policyName, bindingName, reason } = denial;
    const by = bindingName === undefined ? '' : ` with binding '${bindingName}'`;
    const message = `ValidatingAdmissionPolicy '${policyName}'${by} denied request: ${denial.message}`;
    const shown = reason || 'Invalid';
    throw refusedAs(refuse(this.#request, message), { reason: shown, code: codeOfReason(shown), causes: [message] });
  }
}
