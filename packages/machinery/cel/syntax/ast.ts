import type { CelValue } from '../values.ts';

/** A node of a parsed expression. `id` is unique within it; `at` is the offset in the source, for error messages. */
export type Expression =
  | LiteralExpression
  | IdentExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression;

interface Node {
  readonly id: number;
  readonly at: number;
}

export interface LiteralExpression extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface IdentExpression extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` when `testOnly`. */
export interface SelectExpression extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A call; operators are calls of functions such as `_+_`. */
export interface CallExpression extends Node {
  readonly kind: 'call';
  readonly function: string;
  readonly target?: Expression;
  readonly arguments: readonly Expression[];
}

export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly elements: readonly Element[];
}

interface Element {
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry extends Element {
  readonly id: number;
  readonly key: Expression;
}

export interface StructExpression extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField extends Element {
  readonly id: number;
  readonly at: number;
  readonly name: string;
}

/**
 * A fold over a list or a map: what the macros become. `accumulator` starts as `initial`; while `condition` holds, it
 * becomes `step` for each element; the value is `result`.
 */
export interface ComprehensionExpression extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of the accumulator of the macros: no identifier of a user can be it. */
export const accumulatorName = '@result';
