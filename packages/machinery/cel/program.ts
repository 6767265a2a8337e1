import { check, type CheckedExpression } from './check/checker.ts';
import { compile, type Compiled } from './evaluate/compile.ts';
import type { Environment } from './environment.ts';
import { CelCompileError, CelCostError, CelError } from './errors.ts';
import type { Range } from './estimate/estimate-range.ts';
import { estimateCost } from './estimate/estimate.ts';
import type { Frame } from './evaluate/frame.ts';
import { literalIssues, patternProblem } from './check/literal-rules.ts';
import { parse } from './syntax/parser.ts';
import { dynType, type CelType } from './types.ts';
import type { CelValue } from './values.ts';
import { costBeyond, limitWork } from './work.ts';

/** The most that one evaluation costs when nothing else is said: Kubernetes' PerCallLimit. */
export const perCallCostMax = 1_000_000;

/** The most that all rules of a custom resource, or of a policy binding, cost together: RuntimeCELCostBudget. */
export const runtimeCostBudget = 10_000_000;

/** The most that all match conditions of a webhook or policy cost together: RuntimeCELCostBudgetMatchConditions. */
export const matchConditionsCostBudget = 2_500_000;

/** The values of variables by name, as JSON data or values. */
export type Bindings = Readonly<Record<string, unknown>>;

/** The outcome of an evaluation and what it cost. */
export interface Evaluation {
  readonly value: CelValue;
  readonly cost: number;
}

/** An evaluation, or how it failed. */
export type Attempt =
  | (Evaluation & { readonly error?: undefined })
  | { readonly value?: undefined; readonly error: CelError; readonly cost: number };

export interface ProgramOptions {
  readonly source: string;
  readonly checked: CheckedExpression;
  readonly variableType: (name: string) => CelType | undefined;
}

/** A compiled expression: pure, and as often evaluated as one likes. */
export class Program {
  readonly source: string;
  /** The type of its value. */
  readonly type: CelType;
  readonly #options: ProgramOptions;
  readonly #compiled: Compiled;

  constructor(options: ProgramOptions) {
    const { source, checked, variableType } = options;
    this.source = source;
    this.type = checked.types.get(checked.expression.id) ?? dynType;
    this.#options = options;
    this.#compiled = compile(checked, variableType);
  }

  /** The bounds of what an evaluation may cost, as far as the schemas of the variables limit their sizes. */
  estimateCost(): Range {
    return estimateCost(this.#options.checked, this.#options.variableType);
  }

  /** Why upstream makes no program of the expression, though it is sound. */
  get problem(): string | undefined {
    return patternProblem(this.#options.checked.expression);
  }

  /** The variables that the expression reads. */
  get variables(): readonly string[] {
    return this.#compiled.variables.map(({ name }) => name);
  }

  /** As `evaluate`, but answers an error beside what was spent until then. Throws what is no `CelError`. */
  attempt(bindings: Bindings, costMax = perCallCostMax): Attempt {
    const { evaluate, variables, slots } = this.#compiled;
    const frame: Frame = { slots: Array.from<CelValue | undefined>({ length: slots }), cost: 0, costMax };
    for (const { name, slot } of variables) frame.slots[slot] = bindings[name] as CelValue | undefined;
    const worked = limitWork(costMax, () => evaluate(frame));
    const cost = frame.cost + costBeyond(frame.cost, worked.steps);
    if ('result' in worked) return { value: worked.result, cost };
    const { thrown } = worked;
    // A string or list that is too large for the machine has cost too much.
    if (thrown instanceof RangeError) return { error: new CelCostError(), cost: costMax };
    if (!(thrown instanceof CelError)) throw thrown;
    return { error: thrown, cost };
  }

  /** Evaluates; throws `CelError` with upstream's wording, `CelCostError` when it costs more than `costMax`. */
  evaluate(bindings: Bindings, costMax = perCallCostMax): Evaluation {
    const { value, error, cost } = this.attempt(bindings, costMax);
    if (error) throw error;
    return { value: value as CelValue, cost };
  }
}

/** Parses, checks and compiles an expression. Throws `CelCompileError` with all that is wrong. */
export function compileProgram(source: string, environment: Environment): Program {
  const expression = parse(source, environment.bindings);
  const checked = check(expression, environment);
  if (checked.issues.length > 0) throw new CelCompileError(source, checked.issues);
  const issues = literalIssues(expression, (id) => {
    const reference = checked.references.get(id);
    return reference?.kind === 'call' ? reference.overloads : undefined;
  });
  if (issues.length > 0) throw new CelCompileError(source, issues);
  return new Program({ source, checked, variableType: (name) => environment.variable(name) });
}
