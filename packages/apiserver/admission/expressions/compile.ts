import {
  admissionEnvironment,
  CelCompileError,
  compileProgram,
  formatType,
  type AdmissionVariables,
  type CelType,
  type Environment,
  type Program,
} from '@kubernode/machinery/cel';

/** An expression of a webhook or policy, compiled once; one that does not compile fails when it is asked. */
export interface Expression {
  readonly source: string;
  readonly program: Program | undefined;
  /** Why there is no program. */
  readonly error: string;
}

/** A policy's `variables`, in their order, each seeing those before it. */
export type Variables = ReadonlyMap<string, Expression>;

/** Compiles the expressions of one policy or webhook. */
export class ExpressionCompiler {
  readonly #declared: AdmissionVariables;
  readonly #types = new Map<string, CelType>();
  readonly #variables = new Map<string, Expression>();
  readonly #isPolicy: boolean;

  /** Without `variables`, expressions have none at all: those of webhooks. */
  constructor(declared: { readonly params?: boolean }, variables?: readonly NamedExpression[]) {
    this.#declared = declared;
    this.#isPolicy = variables !== undefined;
    for (const { name, expression } of variables ?? []) {
      const compiled = this.compile(expression, undefined);
      this.#variables.set(name, compiled);
      this.#types.set(name, compiled.program?.type ?? { kind: 'dyn' });
    }
  }

  get variables(): Variables {
    return this.#variables;
  }

  /** `results`: the types that it may come to; undefined: any. */
  compile(source: string, results: readonly CelType[] | undefined, more: AdmissionVariables = {}): Expression {
    try {
      const program = compileProgram(source, this.#environment(more));
      const type = formatType(program.type);
      if (!results || results.some((result) => formatType(result) === type)) return { source, program, error: '' };
      const wanted = results.map((result) => (result.kind === 'null' ? 'null_type' : formatType(result)));
      const expected = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
      return { source, program: undefined, error: `must evaluate to ${expected} but got ${type}` };
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      return { source, program: undefined, error: `compilation failed: ${error.message}` };
    }
  }

  #environment(more: AdmissionVariables): Environment {
    const variables = this.#isPolicy ? { variables: new Map(this.#types) } : {};
    return admissionEnvironment({ authorizer: true, ...this.#declared, ...variables, ...more });
  }
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}
