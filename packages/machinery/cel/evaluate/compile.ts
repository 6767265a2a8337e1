import {
  type CallExpression,
  type Expression,
  type ListExpression,
  type MapExpression,
  type SelectExpression,
  type StructExpression,
} from '../syntax/ast.ts';
import type { CheckedExpression } from '../check/checker.ts';
import { coercion } from './coercion.ts';
import { compileComprehension } from './compile-comprehension.ts';
import { compileLogical } from './compile-logical.ts';
import { compileSelect, indexIfThere, optionalIndex, optionalSelect } from './compile-select.ts';
import { constantValue, isFreeCall } from './constant.ts';
import { callCost } from './cost.ts';
import { dispatcher } from './dispatch.ts';
import { CelError, noSuchOverload } from '../errors.ts';
import { charge, type Evaluate, type Frame } from './frame.ts';
import { index } from '../library/standard.ts';
import { makeStruct } from '../struct-names.ts';
import { dynType, typeName, type CelType } from '../types.ts';
import { CelMap, Optional, TypeValue, type CelValue } from '../values.ts';

/** What building closures needs to know about its place. */
export interface Scope {
  /** The slot of a local variable (of a comprehension). */
  local(name: string): number | undefined;
  with(names: readonly string[]): { scope: Scope; slots: readonly number[] };
}

/** A program: its closure, and the variables of the environment that it reads with their slots and types. */
export interface Compiled {
  readonly evaluate: Evaluate;
  readonly variables: readonly { readonly name: string; readonly slot: number }[];
  readonly slots: number;
}

/** Compiles a checked expression to closures that count the cost as upstream counts it. */
export function compile(checked: CheckedExpression, variableType: (name: string) => CelType | undefined): Compiled {
  const compiler = new Compiler(checked, variableType);
  const evaluate = compiler.compile(checked.expression, compiler.root);
  return { evaluate, variables: compiler.variables(), slots: compiler.slotCount };
}

export class Compiler {
  readonly #checked: CheckedExpression;
  readonly #variableType: (name: string) => CelType | undefined;
  readonly #variables = new Map<string, number>();
  slotCount = 0;
  /** What gives the variables of `cel.bind` their values, by slot. */
  readonly bound = new Map<number, Evaluate>();

  constructor(checked: CheckedExpression, variableType: (name: string) => CelType | undefined) {
    this.#checked = checked;
    this.#variableType = variableType;
  }

  readonly root: Scope = this.#scope(new Map());

  #scope(locals: ReadonlyMap<string, number>): Scope {
    return {
      local: (name) => locals.get(name),
      with: (names) => {
        const slots = names.map(() => this.slotCount++);
        return {
          slots,
          scope: this.#scope(new Map([...locals, ...names.map((name, at) => [name, slots[at] as number] as const)])),
        };
      },
    };
  }

  variables(): { name: string; slot: number }[] {
    return Array.from(this.#variables, ([name, slot]) => ({ name, slot }));
  }

  type(expression: Expression): CelType {
    return this.#checked.types.get(expression.id) ?? dynType;
  }

  compile(expression: Expression, scope: Scope): Evaluate {
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return () => value;
      }
      case 'ident':
        return this.#ident(expression, expression.name, scope);
      case 'select':
        return this.#select(expression, scope);
      case 'call':
        return this.#call(expression, scope);
      case 'list':
      case 'map': {
        const constant = constantValue(expression);
        if (constant !== undefined) return () => constant;
        return expression.kind === 'list' ? this.#list(expression, scope) : this.#map(expression, scope);
      }
      case 'struct':
        return this.#struct(expression, scope);
      case 'comprehension':
        return compileComprehension(this, expression, scope);
    }
  }

  #ident(expression: Expression, name: string, scope: Scope): Evaluate {
    const reference = this.#checked.references.get(expression.id);
    if (reference?.kind === 'type') {
      const value = new TypeValue(typeName(reference.name));
      return (frame) => {
        frame.cost++;
        return value;
      };
    }
    const local = scope.local(name);
    if (local !== undefined) {
      const initial = this.bound.get(local);
      if (initial !== undefined) return readBound(local, initial);
      return (frame) => {
        frame.cost++;
        return frame.slots[local] as CelValue;
      };
    }
    return this.#variable(reference?.kind === 'variable' ? reference.name : name);
  }

  #variable(name: string): Evaluate {
    const slot = this.#variables.get(name) ?? this.slotCount++;
    this.#variables.set(name, slot);
    const coerce = coercion(this.#variableType(name) ?? dynType);
    return (frame) => {
      frame.cost++;
      const value = frame.slots[slot];
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      return coerce(value);
    };
  }

  #select(expression: SelectExpression, scope: Scope): Evaluate {
    const reference = this.#checked.references.get(expression.id);
    if (reference !== undefined) return this.#ident(expression, expression.field, scope);
    return compileSelect({
      operand: this.compile(expression.operand, scope),
      operandType: this.type(expression.operand),
      field: expression.field,
      testOnly: expression.testOnly,
    });
  }

  #call(expression: CallExpression, scope: Scope): Evaluate {
    const reference = this.#checked.references.get(expression.id);
    const [first, second, third] = expression.arguments;
    switch (expression.function) {
      case '_&&_':
      case '_||_':
        return compileLogical(
          expression.function === '_||_',
          this.#operand(first, scope),
          this.#operand(second, scope),
        );
      case '_?_:_':
        return conditional(this.#operand(first, scope), this.#operand(second, scope), this.#operand(third, scope));
      case '_[_]':
        return this.#index(this.#operand(first, scope), this.#operand(second, scope));
      case '_?._':
        return optionalSelect(this.#operand(first, scope), this.type(first as Expression), literalText(second));
      case '_[?_]':
        return optionalIndex(this.#operand(first, scope), this.#operand(second, scope));
      case 'or':
      case 'orValue':
        if (expression.target !== undefined)
          return optionalOr(
            this.compile(expression.target, scope),
            this.#operand(first, scope),
            expression.function === 'orValue',
          );
        break;
      default:
    }
    if (reference?.kind !== 'call') {
      return () => {
        throw new CelError(`unbound function: ${expression.function}()`);
      };
    }
    const isMember = expression.target !== undefined && !reference.namespaced;
    const values = isMember ? [expression.target as Expression, ...expression.arguments] : expression.arguments;
    const { overloads } = reference;
    const name = overloads[0]?.function ?? expression.function;
    const apply = dispatcher(
      name,
      overloads,
      values.map((value) => this.type(value)),
    );
    const id = overloads.length === 1 ? (overloads[0]?.id ?? '') : name === '_==_' ? 'equals' : '';
    return call(
      apply,
      values.map((value) => this.compile(value, scope)),
      isFreeCall(expression, id) ? 0 : callCost(name, id),
    );
  }

  #operand(expression: Expression | undefined, scope: Scope): Evaluate {
    return this.compile(expression as Expression, scope);
  }

  #index(container: Evaluate, key: Evaluate): Evaluate {
    return (frame) => {
      const held = container(frame);
      const at = key(frame);
      frame.cost++;
      return held instanceof Optional ? indexIfThere(held.value, at) : index(held, at);
    };
  }

  #list(expression: ListExpression, scope: Scope): Evaluate {
    const { elements } = expression;
    const parts = elements.map(({ value, optional }) => ({ optional, value: this.compile(value, scope) }));
    return (frame) => {
      const list: CelValue[] = [];
      for (const { optional, value } of parts) {
        const element = value(frame);
        if (!optional) list.push(element);
        else if (!(element instanceof Optional)) throw noSuchOverload();
        else if (element.value !== undefined) list.push(element.value);
      }
      charge(frame, 10);
      return list;
    };
  }

  #map(expression: MapExpression, scope: Scope): Evaluate {
    const parts = expression.entries.map(({ key, value, optional }) => ({
      optional,
      key: this.compile(key, scope),
      value: this.compile(value, scope),
    }));
    return (frame) => {
      const map = new CelMap();
      for (const { optional, key, value } of parts) {
        const at = key(frame);
        const held = optional ? unwrap(value(frame)) : value(frame);
        if (held !== undefined) map.insert(at, held);
      }
      charge(frame, 30);
      return map;
    };
  }

  #struct(expression: StructExpression, scope: Scope): Evaluate {
    const type = this.type(expression);
    const reference = this.#checked.references.get(expression.id);
    const parts = expression.fields.map(({ name, value, optional }) => ({
      optional,
      property: (type.kind === 'object' ? type.fields().get(name)?.property : undefined) ?? name,
      value: this.compile(value, scope),
    }));
    return (frame) => {
      const fields = new Map<string, CelValue>();
      for (const { optional, property, value } of parts) {
        const held = optional ? unwrap(value(frame)) : value(frame);
        if (held !== undefined) fields.set(property, held);
      }
      charge(frame, 40);
      return reference?.kind === 'message' ? reference.message.make(fields) : makeStruct(fields, typeName(type));
    };
  }
}

/** A bound variable is evaluated when it is first read, and at most once. */
function readBound(slot: number, initial: Evaluate): Evaluate {
  return (frame) => {
    frame.cost++;
    if (frame.slots[slot] === undefined) frame.slots[slot] = initial(frame);
    return frame.slots[slot] as CelValue;
  };
}

function unwrap(value: CelValue): CelValue | undefined {
  if (value instanceof Optional) return value.value;
  throw noSuchOverload();
}

const literalText = (expression: Expression | undefined): string =>
  expression?.kind === 'literal' && typeof expression.value === 'string' ? expression.value : '';

function conditional(condition: Evaluate, yes: Evaluate, no: Evaluate): Evaluate {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return yes(frame);
    if (value === false) return no(frame);
    throw noSuchOverload();
  };
}

function optionalOr(target: Evaluate, other: Evaluate, unwrapped: boolean): Evaluate {
  return (frame) => {
    const optional = target(frame);
    if (!(optional instanceof Optional)) throw noSuchOverload();
    if (optional.value !== undefined) return unwrapped ? optional.value : optional;
    return other(frame);
  };
}

type Cost = (values: readonly CelValue[], result: CelValue) => number;

/** A call of a function; the common numbers of arguments get closures without arrays when the cost is constant. */
function call(
  apply: (...values: readonly CelValue[]) => CelValue,
  values: readonly Evaluate[],
  cost: Cost | number,
): Evaluate {
  const [first, second] = values;
  if (typeof cost === 'number' && values.length === 1 && first !== undefined) {
    return (frame) => {
      const result = apply(first(frame));
      charge(frame, cost);
      return result;
    };
  }
  if (values.length === 2 && first !== undefined && second !== undefined) return binary(apply, first, second, cost);
  return (frame: Frame) => {
    const held = values.map((value) => value(frame));
    const result = apply(...held);
    charge(frame, typeof cost === 'number' ? cost : cost(held, result));
    return result;
  };
}

function binary(
  apply: (a: CelValue, b: CelValue) => CelValue,
  first: Evaluate,
  second: Evaluate,
  cost: Cost | number,
): Evaluate {
  if (typeof cost === 'number') {
    return (frame) => {
      const result = apply(first(frame), second(frame));
      charge(frame, cost);
      return result;
    };
  }
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const result = apply(a, b);
    charge(frame, cost([a, b], result));
    return result;
  };
}
