import { check } from './checker.ts';
import { compile, type Compiled } from './compile.ts';
import type { Environment } from './environment.ts';
import { CelCompileError, CelCostError } from './errors.ts';
import type { Frame } from './frame.ts';
import { parse } from './parser.ts';
import { dynType, type CelType } from './types.ts';
import type { CelValue } from './values.ts';

/** The most that one evaluation costs when nothing else is said: Kubernetes' PerCallLimit. */
export const perCallCostMax = 1_000_000;

/** The values of variables by name, as JSON data or values. */
export type Bindings = Readonly<Record<string, unknown>>;

/** The outcome of an evaluation and what it cost. */
export interface Evaluation {
  readonly value: CelValue;
  readonly cost: number;
}

/** A compiled expression: pure, and as often evaluated as one likes. */
export class Program {
  readonly source: string;
  /** The type of its value. */
  readonly type: CelType;
  readonly #compiled: Compiled;

  constructor(source: string, type: CelType, compiled: Compiled) {
    this.source = source;
    this.type = type;
    this.#compiled = compiled;
  }

  /** The variables that the expression reads. */
  get variables(): readonly string[] {
    return this.#compiled.variables.map(({ name }) => name);
  }

  /** Evaluates; throws `CelError` with upstream's wording, `CelCostError` when it costs more than `costMax`. */
  evaluate(bindings: Bindings, costMax = perCallCostMax): Evaluation {
    const { evaluate, variables, slots } = this.#compiled;
    const frame: Frame = { slots: Array.from<CelValue | undefined>({ length: slots }), cost: 0, costMax };
    for (const { name, slot } of variables) frame.slots[slot] = bindings[name] as CelValue | undefined;
    const value = evaluate(frame);
    if (frame.cost > costMax) throw new CelCostError();
    return { value, cost: frame.cost };
  }
}

/** Parses, checks and compiles an expression. Throws `CelCompileError` with all that is wrong. */
export function compileProgram(source: string, environment: Environment): Program {
  const expression = parse(source);
  const checked = check(expression, environment);
  if (checked.issues.length > 0) throw new CelCompileError(source, checked.issues);
  const compiled = compile(checked, (name) => environment.variable(name));
  return new Program(source, checked.types.get(expression.id) ?? dynType, compiled);
}
