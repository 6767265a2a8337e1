import type { CallExpression, Expression } from '../syntax/ast.ts';
import type { CelIssue } from '../errors.ts';
import { CelError } from '../errors.ts';
import type { Overload } from '../function.ts';
import { compilePattern } from '../library/regex.ts';

/** Functions whose literal arguments are tried when the expression is checked, by the place of the argument. */
const checkedArguments: Readonly<Record<string, number>> = { duration: 0, timestamp: 0, matches: 1 };

/**
 * What is wrong with literals that can only fail: durations, times and regular expressions (cel-go, AST validators).
 * `overloads` has the functions that calls refer to, by the call's id.
 */
export function literalIssues(
  expression: Expression,
  overloads: (id: number) => readonly Overload[] | undefined,
): CelIssue[] {
  const found: CelIssue[] = [];
  const visit = (each: Expression): void => {
    if (each.kind === 'call') {
      const issue = callIssue(each, overloads(each.id));
      if (issue) found.push(issue);
    }
    for (const part of partsOf(each)) visit(part);
  };
  visit(expression);
  return found;
}

/** Why no program can be made of a sound expression: a literal pattern of `find` that is none (cel-go, optimizations). */
export function patternProblem(expression: Expression): string | undefined {
  for (const part of partsOf(expression)) {
    const found = patternProblem(part);
    if (found !== undefined) return found;
  }
  if (expression.kind !== 'call' || !expression.target || !/^find(All)?$/.test(expression.function)) return undefined;
  const [pattern] = expression.arguments;
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return undefined;
  const compiled = compilePattern(pattern.value);
  return compiled instanceof Error ? compiled.message : undefined;
}

function callIssue(call: CallExpression, overloads: readonly Overload[] | undefined): CelIssue | undefined {
  const name = call.function;
  const place = checkedArguments[name];
  if (place === undefined || !overloads) return undefined;
  const values = call.target ? [call.target, ...call.arguments] : call.arguments;
  const argument = values[place];
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined;
  const overload = overloads.find(({ parameters }) => parameters[place]?.kind === 'string');
  if (!overload) return undefined;
  try {
    overload.implement(...(place === 0 ? [argument.value] : ['', argument.value]));
    return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { at: argument.at, message: `invalid ${name} argument` };
  }
}

/** The expressions that an expression is made of. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.arguments] : expression.arguments;
    case 'list':
      return expression.elements.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
    default:
      return [];
  }
}
