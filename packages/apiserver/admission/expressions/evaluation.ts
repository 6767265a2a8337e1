import { CelError, perCallCostMax, type Bindings, type CelValue } from '@kubernode/machinery/cel';
import type { Expression, Variables } from './compile.ts';

/** What an expression came to, or why it did not. */
export type Outcome =
  | { readonly value: CelValue; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

/** All expressions together cost more than they may: none is run any more. */
export class BudgetError extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
    this.name = 'BudgetError';
  }
}

const noVariables: Variables = new Map();

/**
 * One group of expressions on the same values, with what they may cost together. Variables are evaluated when they are
 * first read, and once a group (apiserver, pkg/admission/plugin/cel/composition.go).
 */
export class Evaluation {
  readonly #bindings: Bindings;
  /** What variables cost that the present expression read. */
  #variablesCost = 0;
  #budget: number;

  constructor(bindings: Bindings, budget: number, variables: Variables = noVariables) {
    this.#budget = budget;
    this.#bindings = variables.size > 0 ? { ...bindings, variables: this.#lazy(bindings, variables) } : bindings;
  }

  get budget(): number {
    return this.#budget;
  }

  /** Throws BudgetError. */
  run({ source, program, error }: Expression): Outcome {
    if (!program) return { error: `compilation error: ${error}` };
    this.#variablesCost = 0;
    const attempt = program.attempt(this.#bindings, perCallCostMax);
    this.#spend(this.#variablesCost);
    this.#spend(attempt.cost);
    if (!attempt.error) return { value: attempt.value };
    return { error: `expression '${source}' resulted in error: ${attempt.error.message}` };
  }

  #spend(cost: number): void {
    if (cost > this.#budget) throw new BudgetError();
    this.#budget -= cost;
  }

  #lazy(bindings: Bindings, variables: Variables): object {
    const held: object = Object.create(null) as object;
    const all = { ...bindings, variables: held };
    for (const [name, variable] of variables) {
      let outcome: { readonly value: CelValue } | { readonly failure: CelError } | undefined;
      const get = () => {
        outcome ??= this.#variable(name, variable, all);
        if ('failure' in outcome) throw outcome.failure;
        return outcome.value;
      };
      Object.defineProperty(held, name, { get, enumerable: true });
    }
    return held;
  }

  #variable(name: string, { program, error }: Expression, bindings: Bindings) {
    if (!program)
      return { failure: new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${error}`) };
    const attempt = program.attempt(bindings, perCallCostMax);
    this.#variablesCost += attempt.cost;
    if (!attempt.error) return { value: attempt.value };
    return {
      failure: new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${attempt.error.message}`),
    };
  }
}
