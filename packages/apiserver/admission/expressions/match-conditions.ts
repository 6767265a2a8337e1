import { boolType, matchConditionsCostBudget, type Bindings } from '@kubernode/machinery/cel';
import type { Expression, ExpressionCompiler, NamedExpression, Variables } from './compile.ts';
import { BudgetError, Evaluation } from './evaluation.ts';

/** Whether a request is one that a webhook or policy wants to see. */
export type MatchConditions = (bindings: Bindings) => Matched;

export type Matched =
  | { readonly matches: boolean; readonly error?: undefined }
  /** No condition said no, and one of them failed, though failures are not to be ignored. */
  | { readonly matches: false; readonly error: string };

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
    const errors = failures(expressions, bindings, compiler.variables);
    if (errors === 'no') return { matches: false };
    if (errors.length === 0) return { matches: true };
    return ignores ? { matches: false } : { matches: false, error: aggregate(errors) };
  };
}

function failures(expressions: readonly Expression[], bindings: Bindings, variables: Variables): string[] | 'no' {
  const evaluation = new Evaluation(bindings, matchConditionsCostBudget, variables);
  try {
    const outcomes = expressions.map((expression) => evaluation.run(expression));
    if (outcomes.some(({ value }) => value === false)) return 'no';
    return outcomes.flatMap(({ error }) => error ?? []);
  } catch (error) {
    if (error instanceof BudgetError) return [error.message];
    throw error;
  }
}

/** As Kubernetes joins several errors: `[a, b]`, each once. */
function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`;
}
