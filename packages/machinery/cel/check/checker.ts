import type { CallExpression, ComprehensionExpression, Expression, SelectExpression } from '../syntax/ast.ts';
import type { Environment } from '../environment.ts';
import type { CelIssue } from '../errors.ts';
import type { Overload } from '../function.ts';
import { literalType } from './literal-type.ts';
import { messageNamed, type Message } from '../messages.ts';
import { checkOptionalSelect, isOptional } from './optional-check.ts';
import { qualifiedName } from '../syntax/parser.ts';
import {
  boolType,
  dynType,
  errorType,
  formatType,
  intType,
  listType,
  mapType,
  optionalType,
  parameterType,
  typeArguments,
  typeType,
  type CelType,
} from '../types.ts';
import { assignable, mostGeneral, sameType, substitute, Trial, type Substitution } from './unify.ts';

/** What a checked expression's node stands for. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly name: CelType }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'call'; readonly overloads: readonly Overload[]; readonly namespaced: boolean };

/** A type-checked expression: the type of each node, and what its names and calls refer to, by the node's id. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly issues: readonly CelIssue[];
}

/** Type-checks an expression; what is wrong is in `issues`, with upstream's wording, and has the type `error`. */
export function check(expression: Expression, environment: Environment): CheckedExpression {
  const checker = new Checker(environment);
  checker.check(expression);
  return { expression, ...checker.finish() };
}

class Checker {
  readonly #environment: Environment;
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  readonly #issues: CelIssue[] = [];
  readonly #scopes: Map<string, CelType>[] = [];
  readonly #known: Substitution = new Map();
  #fresh = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finish(): Omit<CheckedExpression, 'expression'> {
    const types = new Map<number, CelType>();
    for (const [id, type] of this.#types) types.set(id, substitute(this.#known, type, 'dyn'));
    return { types, references: this.#references, issues: this.#issues };
  }

  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression.id, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value);
      case 'ident':
        return this.#name(expression, expression.name) ?? this.#undeclared(expression.at, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return listType(this.#aggregate(expression.elements, (element) => element));
      case 'map': {
        for (const entry of expression.entries) this.check(entry.key);
        const key = this.#join(expression.entries.map((entry) => entry.key));
        return mapType(
          key,
          this.#aggregate(expression.entries, (entry) => entry),
        );
      }
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #issue(at: number, message: string): CelType {
    this.#issues.push({ at, message });
    return errorType;
  }

  #undeclared(at: number, name: string): CelType {
    const { container } = this.#environment;
    return this.#issue(at, `undeclared reference to '${name.replace(/^\./, '')}' (in container '${container}')`);
  }

  /** The type of a variable or type of this name; undefined when there is none. */
  #name(expression: Expression, name: string): CelType | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const local = this.#scopes[index]?.get(name);
      if (local === undefined) continue;
      this.#references.set(expression.id, { kind: 'variable', name });
      return local;
    }
    for (const candidate of this.#environment.candidates(name)) {
      const variable = this.#environment.variable(candidate);
      if (variable !== undefined) {
        this.#references.set(expression.id, { kind: 'variable', name: candidate });
        return variable;
      }
      const type = this.#environment.typeNamed(candidate);
      if (type !== undefined) {
        this.#references.set(expression.id, { kind: 'type', name: type });
        return typeType(type);
      }
    }
    return undefined;
  }

  #select(expression: SelectExpression): CelType {
    const qualified = qualifiedName(expression);
    const local = qualified?.split('.', 1)[0] ?? '';
    if (qualified !== undefined && !this.#scopes.some((scope) => scope.has(local))) {
      const type = this.#name(expression, qualified);
      if (type !== undefined) return type;
    }
    const operand = this.check(expression.operand);
    const field = this.#field(expression.at, operand, expression.field);
    return expression.testOnly ? boolType : field;
  }

  #field(at: number, operandType: CelType, field: string): CelType {
    const operand = substitute(this.#known, operandType, 'keep');
    const inner = isOptional(operand);
    if (inner !== undefined) return optionalType(this.#field(at, inner, field));
    switch (operand.kind) {
      case 'object':
        return operand.fields().get(field)?.type ?? this.#issue(at, `undefined field '${field}'`);
      case 'map':
        return operand.value;
      case 'parameter':
        assignable(this.#known, operand, dynType);
        return dynType;
      case 'dyn':
        return dynType;
      case 'error':
        return errorType;
      default:
        return this.#issue(at, `type '${formatType(operand)}' does not support field selection`);
    }
  }

  #call(expression: CallExpression): CelType {
    const optional = checkOptionalSelect(
      expression,
      (node) => this.check(node),
      (at, type, field) => this.#field(at, type, field),
    );
    if (optional !== undefined) return optional;
    const { target } = expression;
    const prefix = target === undefined ? undefined : qualifiedName(target);
    const isLocal = this.#scopes.some((scope) => scope.has(prefix?.split('.', 1)[0] ?? ''));
    if (target === undefined || (prefix !== undefined && !isLocal)) {
      const name = target === undefined ? expression.function : `${prefix}.${expression.function}`;
      for (const candidate of this.#environment.candidates(name)) {
        const overloads = this.#environment.overloads(candidate);
        if (overloads.length > 0) return this.#resolve(expression, candidate, overloads, expression.arguments, false);
      }
    }
    const values = target === undefined ? expression.arguments : [target, ...expression.arguments];
    const overloads = this.#environment.overloads(expression.function);
    if (overloads.length > 0)
      return this.#resolve(expression, expression.function, overloads, values, target !== undefined);
    for (const value of values) this.check(value);
    return this.#undeclared(expression.at, expression.function);
  }

  #resolve(
    expression: CallExpression,
    name: string,
    overloads: readonly Overload[],
    values: readonly Expression[],
    member: boolean,
  ): CelType {
    const types = values.map((value) => this.check(value));
    const namespaced = expression.target !== undefined && !member;
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.member !== member || overload.parameters.length !== types.length) continue;
      const type = this.#fit(overload, types);
      if (type === undefined) continue;
      fitting.push(overload);
      const open = substitute(this.#known, type, 'keep');
      if (result === undefined) result = open;
      else if (!sameType(result, open)) result = dynType;
    }
    if (result === undefined) {
      const possible = overloads.filter((overload) => overload.member === member);
      this.#references.set(expression.id, { kind: 'call', overloads: possible, namespaced });
      return this.#noOverload(expression, name, types, member);
    }
    this.#references.set(expression.id, { kind: 'call', overloads: fitting, namespaced });
    return result;
  }

  /** The type of the result if the overload takes arguments of these types. */
  #fit(overload: Overload, types: readonly CelType[]): CelType | undefined {
    const names = new Map<string, CelType>();
    const instantiate = (type: CelType): CelType => {
      collectParameters(type, names, () => this.#parameter());
      return names.size === 0 ? type : substitute(names, type, 'keep');
    };
    const trial = new Trial(this.#known);
    const parameters = overload.parameters.map(instantiate);
    if (!types.every((type, index) => assignable(trial, type, parameters[index] as CelType))) return undefined;
    trial.commit();
    return instantiate(overload.result);
  }

  #noOverload(expression: CallExpression, name: string, types: readonly CelType[], member: boolean): CelType {
    const texts = types.map((type) => formatType(substitute(this.#known, type, 'dyn')));
    const signature = member ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
    return this.#issue(expression.at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #parameter(): CelType {
    return parameterType(`_var${this.#fresh++}`);
  }

  #aggregate<Item>(items: readonly Item[], part: (item: Item) => { value: Expression; optional: boolean }): CelType {
    const values = items.map(part);
    for (const { value, optional } of values) {
      const type = this.check(value);
      if (!optional) continue;
      const inner = isOptional(substitute(this.#known, type, 'keep'));
      if (inner !== undefined || type.kind === 'dyn' || type.kind === 'error')
        this.#types.set(value.id, inner ?? dynType);
      else
        this.#issue(value.at, `expected type '${formatType(optionalType(dynType))}' but found '${formatType(type)}'`);
    }
    return this.#join(values.map(({ value }) => value));
  }

  /** The one type of the values of a literal. */
  #join(values: readonly Expression[]): CelType {
    let joined: CelType | undefined;
    for (const value of values) {
      const type = this.#types.get(value.id) as CelType;
      const trial = new Trial(this.#known);
      if (joined === undefined) joined = type;
      else if (assignable(trial, type, joined)) {
        trial.commit();
        joined = mostGeneral(joined, type);
      } else if (this.#environment.mixedLiterals) joined = dynType;
      else {
        const expected = formatType(substitute(this.#known, joined, 'dyn'));
        this.#issue(value.at, `expected type '${expected}' but found '${formatType(type)}'`);
      }
    }
    return joined ?? this.#parameter();
  }

  #struct(expression: Expression & { kind: 'struct' }): CelType {
    const names = this.#environment.candidates(expression.name);
    const object = names.map((name) => this.#environment.objectType(name)).find((found) => found !== undefined);
    const message = object ? undefined : names.map(messageNamed).find((found) => found !== undefined);
    if (message) this.#references.set(expression.id, { kind: 'message', message });
    const type = object ?? message?.type;
    for (const field of expression.fields) {
      const found = this.check(field.value);
      if (type === undefined) continue;
      const expected = message ? message.fields.get(field.name) : object?.fields().get(field.name)?.type;
      const value = field.optional ? (isOptional(found) ?? dynType) : found;
      if (expected === undefined) this.#issue(field.at, `undefined field '${field.name}'`);
      else if (!assignable(this.#known, value, expected)) {
        const message = `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(value)}'`;
        this.#issue(field.at, message);
      }
    }
    return type ?? this.#undeclared(expression.at, expression.name);
  }

  #comprehension(expression: ComprehensionExpression): CelType {
    const range = substitute(this.#known, this.check(expression.range), 'keep');
    const accumulator = this.check(expression.initial);
    const [first, second] = this.#iterated(expression.range.at, range);
    this.#scopes.push(new Map([[expression.accumulator, accumulator]]));
    const variables = new Map<string, CelType>();
    if (expression.variable2 === undefined) variables.set(expression.variable, range.kind === 'list' ? second : first);
    else variables.set(expression.variable, first).set(expression.variable2, second);
    this.#scopes.push(variables);
    this.#expect(expression.condition, boolType);
    this.#expect(expression.step, accumulator);
    this.#scopes.pop();
    const result = this.check(expression.result);
    this.#scopes.pop();
    return substitute(this.#known, result, 'keep');
  }

  /** The types of key (or index) and value that iterating a range gives. */
  #iterated(at: number, range: CelType): readonly [first: CelType, second: CelType] {
    switch (range.kind) {
      case 'list':
        return [intType, range.element];
      case 'map':
        return [range.key, range.value];
      case 'parameter':
        assignable(this.#known, range, dynType);
        return [dynType, dynType];
      case 'dyn':
      case 'error':
        return [dynType, dynType];
      default:
        this.#issue(
          at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #expect(expression: Expression, expected: CelType): void {
    const found = this.check(expression);
    if (assignable(this.#known, found, expected)) return;
    const types = [expected, found].map((type) => formatType(substitute(this.#known, type, 'dyn')));
    this.#issue(expression.at, `expected type '${types[0]}' but found '${types[1]}'`);
  }
}

/** Gives each type parameter within `type` a fresh one, unless it has one. */
function collectParameters(type: CelType, into: Map<string, CelType>, fresh: () => CelType): void {
  if (type.kind === 'parameter' && !into.has(type.name)) into.set(type.name, fresh());
  for (const argument of typeArguments(type)) collectParameters(argument, into, fresh);
}
