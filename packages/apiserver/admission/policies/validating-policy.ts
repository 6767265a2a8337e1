import type { KubernetesObject } from '@kubernode/api';
import type { ValidatingAdmissionPolicy } from '@kubernode/api/admissionregistration/v1';
import { boolType, nullType, runtimeCostBudget, stringType, type Bindings } from '@kubernode/machinery/cel';
import type { ClusterState } from '../../seams.ts';
import type { Expression } from '../expressions/compile.ts';
import { BudgetError, Evaluation, type Outcome } from '../expressions/evaluation.ts';
import type { Matched } from '../expressions/match-conditions.ts';
import { policyOf, type Policy } from './policy.ts';

/** A ValidatingAdmissionPolicy, compiled. */
export interface ValidatingPolicy extends Policy {
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly expression: Expression }[];
}

interface Validation {
  readonly expression: Expression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
  readonly reason: string;
}

export function validatingPolicyOf(object: KubernetesObject, state: ClusterState): ValidatingPolicy {
  const policy = policyOf(object as ValidatingAdmissionPolicy, state);
  const { compiler } = policy;
  const { validations = [], auditAnnotations = [] } = (object as ValidatingAdmissionPolicy).spec ?? {};
  return {
    ...policy,
    validations: validations.map(({ expression, message = '', messageExpression, reason = 'Invalid' }) => ({
      expression: compiler.compile(expression, [boolType]),
      message: message.trim(),
      messageExpression: messageExpression
        ? compiler.compile(messageExpression, [stringType], { authorizer: false })
        : undefined,
      reason,
    })),
    auditAnnotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      expression: compiler.compile(valueExpression, [stringType, nullType]),
    })),
  };
}

/** What one validation came to. */
export interface Decision {
  readonly action: 'admit' | 'deny';
  /** It could not be decided: the failure policy did. */
  readonly isError: boolean;
  readonly message: string;
  /** '' where it failed. */
  readonly reason: string;
}

export interface Judgement {
  /** In the order of the validations; none where the request is not the policy's business. */
  readonly decisions: readonly Decision[];
  readonly annotations: readonly AuditAnnotation[];
}

export type AuditAnnotation =
  | { readonly key: string; readonly value: string; readonly error?: undefined }
  | { readonly key: string; readonly error: string };

/**
 * Evaluates a policy for one param (apiserver, pkg/admission/plugin/policy/validating/validator.go). `bindings` has
 * `authorizer`; messages and annotations cannot ask it. `matched`: what its match conditions came to, where it has any.
 */
export function judge(policy: ValidatingPolicy, bindings: Bindings, matched: Matched | undefined): Judgement {
  const failed = (message: string): Judgement => ({ decisions: [errorOf(policy, message)], annotations: [] });
  if (matched?.error !== undefined) return failed(matched.error);
  if (matched?.matches === false) return { decisions: [], annotations: [] };
  const { authorizer: _, 'authorizer.requestResource': _resource, ...withoutAuthorizer } = bindings;
  try {
    return {
      decisions: decide(policy, bindings, withoutAuthorizer),
      annotations: annotate(policy, withoutAuthorizer),
    };
  } catch (error) {
    if (error instanceof BudgetError) return failed(error.message);
    throw error;
  }
}

const errorOf = ({ failsOpen }: Policy, message: string): Decision => ({
  action: failsOpen ? 'admit' : 'deny',
  isError: true,
  message,
  reason: '',
});

const admitted: Decision = { action: 'admit', isError: false, message: '', reason: '' };

function decide(policy: ValidatingPolicy, bindings: Bindings, forMessages: Bindings): Decision[] {
  const { variables } = policy.compiler;
  const evaluation = new Evaluation(bindings, runtimeCostBudget, variables);
  const outcomes = policy.validations.map(({ expression }) => evaluation.run(expression));
  if (outcomes.every(({ value }) => value === true)) return outcomes.map(() => admitted);
  const messages = new Evaluation(forMessages, evaluation.budget, variables);
  let spent: BudgetError | undefined;
  const texts = policy.validations.map(({ messageExpression }) => {
    if (!messageExpression || spent) return undefined;
    try {
      return messages.run(messageExpression);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      spent = error;
      return undefined;
    }
  });
  return policy.validations.map((validation, index) => {
    const { error, value } = outcomes[index]!;
    if (error !== undefined) return errorOf(policy, error);
    if (spent) return errorOf(policy, `failed messageExpression: ${spent.message}`);
    if (value === true) return admitted;
    const message = messageOf(validation, texts[index]);
    return { action: 'deny', isError: false, message, reason: validation.reason };
  });
}

const messageBytesMax = 5 * 1024;

/** The message that the expression makes, where it is one line of text; else the fixed one; else the expression itself. */
function messageOf({ expression, message }: Validation, made: Outcome | undefined): string {
  const text = typeof made?.value === 'string' ? made.value.trim() : '';
  const isFit = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax;
  return (isFit ? text : message) || `failed expression: ${expression.source.trim()}`;
}

function annotate(policy: ValidatingPolicy, bindings: Bindings): AuditAnnotation[] {
  const evaluation = new Evaluation(bindings, runtimeCostBudget, policy.compiler.variables);
  return policy.auditAnnotations.flatMap(({ key, expression }): AuditAnnotation[] => {
    const { value, error } = evaluation.run(expression);
    if (error !== undefined) return policy.failsOpen ? [] : [{ key, error }];
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [{ key, value: text }];
  });
}
