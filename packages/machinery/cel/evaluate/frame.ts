import { CelCostError } from '../errors.ts';
import type { CelValue } from '../values.ts';

/** What an evaluation works on: the values of the variables, the cost so far and its limit. */
export interface Frame {
  readonly slots: (CelValue | undefined)[];
  cost: number;
  readonly costMax: number;
}

/** A compiled expression or a part of it. Throws `CelError`. */
export type Evaluate = (frame: Frame) => CelValue;

/** Adds to the cost. Throws `CelCostError` beyond the limit. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.costMax) throw new CelCostError();
}
