import { boolType, matchConditionsCostBudget, type Bindings } from '@kubernode/machinery/cel';
import type { Expression, ExpressionCompiler, NamedExpression, Variables } from './compile.ts';
import { BudgetError, Evaluation } from './evaluation.ts';

/** Whether a request is one that a webhook or policy wants to see. */
export type MatchConditions = (bindings: Bindings) => Matched;

export interface Matched {
  readonly matches: boolean;
  /** Set where no condition said no, and one of them failed, though failures are not to be ignored. */
  readonly error?: string | undefined;
  /** How many conditions failed. */
  readonly failures: number;
}

/**
 * Compiles match conditions. One that is false decides; failures count only where none is (apiserver,
 * pkg/admission/plugin/webhook/matchconditions). Undefined where there are none.
 */
export function matchConditions(
  conditions: readonly NamedExpression[] | undefined,
  failurePolicy: string | undefined,
  compiler: ExpressionCompiler,
): MatchConditions | undefined {
  if (!conditions?.length) return undefined;
  const expressions = conditions.map(({ expression }) => compiler.compile(expression, [boolType]));
  const ignores = failurePolicy === 'Ignore';
  return (bindings) => {
    const { errors, isNo } = evaluate(expressions, bindings, compiler.variables);
    const failures = errors.length;
    if (isNo || failures === 0) return { matches: !isNo, failures };
    return { matches: false, failures, error: ignores ? undefined : aggregate(errors) };
  };
}

/** `isNo`: a condition is false. */
function evaluate(expressions: readonly Expression[], bindings: Bindings, variables: Variables) {
  const evaluation = new Evaluation(bindings, matchConditionsCostBudget, variables);
  try {
    const outcomes = expressions.map((expression) => evaluation.run(expression));
    return {
      isNo: outcomes.some(({ value }) => value === false),
      errors: outcomes.flatMap(({ error }) => error ?? []),
    };
  } catch (error) {
    if (error instanceof BudgetError) return { isNo: false, errors: [error.message] };
    throw error;
  }
}

/** As Kubernetes joins several errors: `[a, b]`, each once. */
function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`;
}
