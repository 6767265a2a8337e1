import type { CallExpression, ComprehensionExpression, Expression } from '../syntax/ast.ts';
import { accumulatorName } from '../syntax/ast.ts';
import type { CheckedExpression } from '../check/checker.ts';
import { isBinding } from '../evaluate/compile-comprehension.ts';
import { estimateCall, type Operand } from './estimate-call.ts';
import { addRanges, fixed, multiplyRanges, uniteRanges, unknownSize, type Range } from './estimate-range.ts';
import { stringSize } from '../library/standard.ts';
import { isOptional } from '../check/optional-check.ts';
import { dynType, type CelType } from '../types.ts';

/**
 * What an expression may cost before it runs: the bounds that Kubernetes admits rules by. `rootType` gives the types of
 * variables, with the most elements that a schema allows. The rules are upstream's (cel-go, checker/cost.go).
 */
export function estimateCost(checked: CheckedExpression, rootType: (name: string) => CelType | undefined): Range {
  return new Estimator(checked, rootType).cost(checked.expression);
}

/** A size with the sizes of what is in it. */
interface Known {
  readonly path?: readonly string[] | undefined;
  readonly size?: Range | undefined;
  readonly entry?: Entry | undefined;
}

interface Entry {
  readonly key: Range;
  readonly value: Range;
}

const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

class Estimator {
  readonly #checked: CheckedExpression;
  readonly #rootType: (name: string) => CelType | undefined;
  readonly #known = new Map<number, Known>();
  readonly #locals: (readonly [name: string, known: Known])[] = [];

  constructor(checked: CheckedExpression, rootType: (name: string) => CelType | undefined) {
    this.#checked = checked;
    this.#rootType = rootType;
  }

  cost(expression: Expression): Range {
    switch (expression.kind) {
      case 'literal':
        return fixed(0);
      case 'ident':
        this.#note(expression, { path: this.#local(expression.name)?.path ?? this.#rootPath(expression.name) });
        return fixed(1);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list': {
        const values = expression.elements.map(({ value }) => value);
        const costs = values.map((value) => this.cost(value));
        this.#note(expression, { entry: { key: fixed(1), value: this.#sizes(values) } });
        return addRanges(...costs, fixed(10));
      }
      case 'map': {
        const costs = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        const key = this.#sizes(expression.entries.map((entry) => entry.key));
        this.#note(expression, { entry: { key, value: this.#sizes(expression.entries.map(({ value }) => value)) } });
        return addRanges(...costs, fixed(30));
      }
      case 'struct':
        return addRanges(...expression.fields.map(({ value }) => this.cost(value)), fixed(40));
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
    }
  }

  #note(expression: Expression, known: Known): void {
    this.#known.set(expression.id, { ...this.#known.get(expression.id), ...known });
  }

  #local(name: string): Known | undefined {
    return this.#locals.findLast(([local]) => local === name)?.[1];
  }

  #rootPath(name: string): readonly string[] | undefined {
    return this.#local(name) === undefined ? [name] : undefined;
  }

  #type(expression: Expression): CelType {
    return this.#checked.types.get(expression.id) ?? dynType;
  }

  #path(expression: Expression): readonly string[] | undefined {
    const local = expression.kind === 'ident' ? this.#local(expression.name) : undefined;
    return local === undefined ? this.#known.get(expression.id)?.path : local.path;
  }

  #select(expression: Expression & { kind: 'select' }): Range {
    const operand = this.cost(expression.operand);
    if (expression.testOnly) return operand;
    const path = this.#path(expression.operand);
    this.#note(expression, { path: path && [...path, expression.field] });
    const { kind } = this.#type(expression.operand);
    return kind === 'map' || kind === 'object' ? addRanges(operand, fixed(1)) : operand;
  }

  #call(expression: CallExpression): Range {
    const reference = this.#checked.references.get(expression.id);
    const isMember = expression.target !== undefined && !(reference?.kind === 'call' && reference.namespaced);
    const values = isMember ? [expression.target as Expression, ...expression.arguments] : expression.arguments;
    const costs = values.map((value) => this.cost(value));
    const [first = fixed(0), second = fixed(0), third = fixed(0)] = costs;
    switch (expression.function) {
      case 'dyn':
        this.#note(expression, {
          size: this.#size(values[0] as Expression),
          entry: this.#entry(values[0] as Expression),
        });
        return addRanges(...costs, fixed(1));
      case '_&&_':
      case '_||_':
        return { min: first.min, max: addRanges(first, second).max };
      case '_?_:_': {
        const [, yes, no] = values as [Expression, Expression, Expression];
        this.#note(expression, { size: uniteRanges(this.#sizeOrUnknown(yes), this.#sizeOrUnknown(no)) });
        return addRanges(first, uniteRanges(second, third));
      }
      case '_[_]':
        this.#index(expression, values[0] as Expression);
        return addRanges(...costs, fixed(1));
      default:
    }
    const overloads = reference?.kind === 'call' ? reference.overloads : [];
    const operands = values.map((value) => this.#operand(value));
    const name = overloads[0]?.function ?? expression.function;
    const estimates = overloads.map(({ id }) => estimateCall(name, id, operands));
    if (estimates.length === 0) return fixed(0);
    const sizes = estimates.flatMap(({ size }) => size ?? []);
    if (sizes.length > 0) this.#note(expression, { size: sizes.reduce(uniteRanges) });
    if (name === '_+_') this.#note(expression, { entry: this.#bothEntries(values) });
    return addRanges(...costs, estimates.map(({ cost }) => cost).reduce(uniteRanges));
  }

  #index(expression: CallExpression, container: Expression): void {
    const path = this.#path(container);
    const part = this.#type(container).kind === 'list' ? '@items' : '@values';
    this.#note(expression, { path: path && [...path, part], size: this.#entry(container)?.value });
  }

  #operand(expression: Expression): Operand {
    const path = this.#path(expression);
    const elementSize = this.#entry(expression)?.value ?? (path && this.#sizeAt([...path, '@items'])) ?? unknownSize;
    const literal = expression.kind === 'literal' ? expression.value : undefined;
    return { type: this.#type(expression), size: this.#sizeOrUnknown(expression), elementSize, literal };
  }

  #bothEntries([a, b]: readonly Expression[]): Entry | undefined {
    const left = a && this.#entry(a);
    const right = b && this.#entry(b);
    return left && right && { key: uniteRanges(left.key, right.key), value: uniteRanges(left.value, right.value) };
  }

  #binding(expression: ComprehensionExpression): Range {
    const initial = this.cost(expression.initial);
    const { initial: held } = expression;
    this.#locals.push([
      expression.accumulator,
      { path: this.#path(held), size: this.#size(held), entry: this.#entry(held) },
    ]);
    const result = this.cost(expression.result);
    this.#note(expression, { size: this.#size(expression.result), entry: this.#entry(expression.result) });
    this.#locals.pop();
    return addRanges(fixed(10), initial, result);
  }

  #fold(expression: ComprehensionExpression): Range {
    const { range, initial, variable, variable2, step } = expression;
    const before = addRanges(this.cost(range), this.cost(initial));
    this.#locals.push([accumulatorName, { size: this.#size(initial), entry: this.#entry(initial) }]);
    const isList = this.#type(range).kind === 'list';
    const entry = this.#entry(range);
    const path = this.#path(range);
    const local = (part: string, size: Range | undefined): Known => ({ path: path && [...path, part], size });
    const value = local(isList ? '@items' : '@values', entry?.value);
    const key = local(isList ? '@indices' : '@keys', entry?.key);
    this.#locals.push([variable, variable2 === undefined && isList ? value : key]);
    if (variable2 !== undefined) this.#locals.push([variable2, value]);
    const loop = addRanges(this.cost(expression.condition), this.cost(step));
    this.#locals.splice(this.#locals.length - (variable2 === undefined ? 1 : 2));
    const result = this.cost(expression.result);
    this.#locals.pop();
    const count = this.#sizeOrUnknown(range);
    if (initial.kind === 'literal') this.#note(expression, { size: this.#size(initial) });
    else this.#note(expression, { size: count, entry: this.#entry(step) });
    return addRanges(before, result, multiplyRanges(count, loop));
  }

  #entry(expression: Expression): Entry | undefined {
    const known = this.#known.get(expression.id)?.entry;
    return known ?? (expression.kind === 'ident' ? this.#local(expression.name)?.entry : undefined);
  }

  #sizes(expressions: readonly Expression[]): Range {
    return expressions.length === 0
      ? fixed(0)
      : expressions.map((part) => this.#sizeOrUnknown(part)).reduce(uniteRanges);
  }

  #sizeOrUnknown(expression: Expression): Range {
    return this.#size(expression) ?? unknownSize;
  }

  #size(expression: Expression): Range | undefined {
    const known = this.#known.get(expression.id)?.size ?? literalSize(expression);
    if (known !== undefined) return known;
    const path = this.#path(expression);
    const atPath = path && this.#sizeAt(path);
    if (atPath !== undefined) return atPath;
    const type = this.#type(expression);
    if (scalars.has((isOptional(type) ?? type).kind)) return fixed(1);
    return expression.kind === 'ident' ? this.#local(expression.name)?.size : undefined;
  }

  /** The size that a schema allows at a path from a variable; undefined where no schema says. */
  #sizeAt([root = '', ...parts]: readonly string[]): Range | undefined {
    // Upstream takes whatever a path begins with for the value that the rule is about.
    let type = this.#rootType('self') ?? this.#rootType(root);
    for (const part of parts) {
      if (type === undefined) return undefined;
      if (part === '@items') type = type.kind === 'list' ? type.element : undefined;
      else if (part === '@values') type = type.kind === 'map' ? type.value : undefined;
      else if (part === '@keys') type = type.kind === 'map' ? type.key : undefined;
      else type = type.kind === 'object' ? type.fields().get(part)?.type : undefined;
    }
    return type?.sizeMax === undefined ? undefined : { min: 0, max: type.sizeMax };
  }
}

function literalSize(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return fixed(stringSize(value));
      return fixed(value instanceof Uint8Array ? value.length : 1);
    }
    case 'list':
      return fixed(expression.elements.length);
    case 'map':
      return fixed(expression.entries.length);
    default:
      return undefined;
  }
}
