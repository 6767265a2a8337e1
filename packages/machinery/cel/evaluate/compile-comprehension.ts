import { accumulatorName, type ComprehensionExpression, type Expression } from '../syntax/ast.ts';
import type { Compiler, Scope } from './compile.ts';
import { isMap, mapEntries, mapKeys } from './equality.ts';
import { CelCostError, CelError, noSuchOverload } from '../errors.ts';
import { charge, type Evaluate, type Frame } from './frame.ts';
import { adapt, CelMap, isList, type CelValue } from '../values.ts';

/**
 * A fold. An error of a step is held, not thrown, while the condition lets it: `all` and `exists` look at further
 * elements, for one of them may decide.
 */
export function compileComprehension(compiler: Compiler, expression: ComprehensionExpression, scope: Scope): Evaluate {
  if (isBinding(expression)) return compileBinding(compiler, expression, scope);
  const range = compiler.compile(expression.range, scope);
  const initial = compileInitial(compiler, expression.initial, scope);
  const outer = scope.with([expression.accumulator]);
  const { variable, variable2 } = expression;
  const inner = outer.scope.with(variable2 === undefined ? [variable] : [variable, variable2]);
  const [accumulator = 0] = outer.slots;
  const [first = 0, second] = inner.slots;
  const step = compileStep(compiler, expression.step, inner.scope, accumulator);
  const decides = decidingValue(expression.condition);
  const result = compiler.compile(expression.result, outer.scope);
  return (frame) => {
    const held = range(frame);
    frame.slots[accumulator] = initial(frame);
    const fold = new Fold({ frame, accumulator, step, decides });
    iterate(held, frame, first, second, () => fold.next());
    if (fold.error !== undefined) throw fold.error;
    return result(frame);
  };
}

interface FoldOptions {
  readonly frame: Frame;
  readonly accumulator: number;
  readonly step: Evaluate;
  readonly decides: boolean | undefined;
}

/** One run of a fold. */
class Fold {
  readonly #options: FoldOptions;
  error: unknown;

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  /** Takes the next element, whose variables are set; false when no further element matters. */
  next(): boolean {
    const { frame, accumulator, step, decides } = this.#options;
    if (decides !== undefined) {
      if (this.error === undefined && frame.slots[accumulator] === decides) {
        charge(frame, decides ? 3 : 2);
        return false;
      }
      // The condition: the accumulator is read and tested; `exists` negates it as well.
      charge(frame, decides ? 3 : 2);
    }
    try {
      const value = step(frame);
      if (decides === undefined) frame.slots[accumulator] = value;
      else this.#combine(value, decides);
    } catch (error) {
      if (decides === undefined || error instanceof CelCostError) throw error;
      this.error ??= error;
    }
    if (frame.cost > frame.costMax) throw new CelCostError();
    return true;
  }

  #combine(value: CelValue, decides: boolean): void {
    const { frame, accumulator } = this.#options;
    if (typeof value !== 'boolean') throw noSuchOverload();
    if (value !== decides) return;
    frame.slots[accumulator] = decides;
    this.error = undefined;
  }
}

function iterate(range: CelValue, frame: Frame, first: number, second: number | undefined, next: () => boolean): void {
  const { slots } = frame;
  if (isList(range)) {
    for (let index = 0; index < range.length; index++) {
      slots[first] = second === undefined ? adapt(range[index]) : index;
      if (second !== undefined) slots[second] = adapt(range[index]);
      if (!next()) return;
    }
  } else if (!isMap(range)) throw new CelError('no such overload');
  else if (second === undefined) {
    for (const key of mapKeys(range)) {
      slots[first] = key;
      if (!next()) return;
    }
  } else {
    for (const [key, value] of mapEntries(range)) {
      slots[first] = key;
      slots[second] = value;
      if (!next()) return;
    }
  }
}

/** For the folds of `all` and `exists`, the value that ends them; undefined for folds over every element. */
function decidingValue(condition: Expression): boolean | undefined {
  if (condition.kind !== 'call' || condition.function !== '@not_strictly_false') return undefined;
  return condition.arguments[0]?.kind === 'call';
}

/** The accumulator of a collecting fold is a new list or map that its steps add to in place. */
function compileInitial(compiler: Compiler, initial: Expression, scope: Scope): Evaluate {
  if (initial.kind === 'list' && initial.elements.length === 0) return () => [];
  if (initial.kind === 'map' && initial.entries.length === 0) return () => new CelMap();
  return compiler.compile(initial, scope);
}

function compileStep(compiler: Compiler, step: Expression, scope: Scope, accumulator: number): Evaluate {
  if (step.kind !== 'call') return compiler.compile(step, scope);
  const [first, second, third] = step.arguments;
  const logical = step.function === '_&&_' || step.function === '_||_';
  if (logical && isAccumulator(first)) {
    const predicate = compiler.compile(second as Expression, scope);
    return (frame) => {
      // The step reads the accumulator before the predicate.
      frame.cost++;
      return predicate(frame);
    };
  }
  if (step.function === '_+_' && isAccumulator(first) && second?.kind === 'list') {
    const value = compiler.compile((second.elements[0] as { value: Expression }).value, scope);
    return (frame) => {
      const list = frame.slots[accumulator] as CelValue[];
      list.push(value(frame));
      // Reading the accumulator, making a list of one, and the addition.
      frame.cost += 12;
      return list;
    };
  }
  if (step.function === '_?_:_' && isAccumulator(third)) {
    const condition = compiler.compile(first as Expression, scope);
    const yes = compileStep(compiler, second as Expression, scope, accumulator);
    return (frame) => {
      const value = condition(frame);
      if (value === true) return yes(frame);
      if (value !== false) throw noSuchOverload();
      frame.cost++;
      return frame.slots[accumulator] as CelValue;
    };
  }
  return compiler.compile(step, scope);
}

const isAccumulator = (expression: Expression | undefined): boolean =>
  expression?.kind === 'ident' && expression.name === accumulatorName;

/** Whether a fold is what `cel.bind` makes: over nothing, with a variable for accumulator. */
export function isBinding({ range, condition, accumulator }: ComprehensionExpression): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0;
  return isEmpty && condition.kind === 'literal' && condition.value === false && accumulator !== accumulatorName;
}

/** The variable of `cel.bind` has no value until it is read. */
function compileBinding(compiler: Compiler, expression: ComprehensionExpression, scope: Scope): Evaluate {
  const initial = compiler.compile(expression.initial, scope);
  const inner = scope.with([expression.accumulator]);
  const [slot = 0] = inner.slots;
  compiler.bound.set(slot, initial);
  const result = compiler.compile(expression.result, inner.scope);
  return (frame) => {
    frame.slots[slot] = undefined;
    return result(frame);
  };
}
