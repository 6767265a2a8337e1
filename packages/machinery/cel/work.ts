import { CelCostError } from './errors.ts';

/**
 * What functions really do. Upstream counts a call's cost by the size of its arguments, after the call; but one call can
 * do far more than that: compare lists of lists that share their parts, or all elements with each other. So functions
 * tell of each step before they make it, and an evaluation ends when it has made too many.
 */
let done = 0;
let doneMax = Number.POSITIVE_INFINITY;

/** A step is about 10 ns: comparing two values, or eight characters. Throws `CelCostError`. */
export function work(steps: number): void {
  done += steps;
  if (done > doneMax) throw new CelCostError();
}

/** Steps that upstream's unit of cost stands for. */
const stepsOfCost = 8;
/** What every evaluation may do beside its cost: what is usual then costs what it costs upstream. */
const freeSteps = 1_000;

export interface Worked<T> {
  readonly result: T;
  /** What was done beyond the usual, in units of cost. */
  readonly cost: number;
}

/** Runs an evaluation, which may contain others. */
export function limitWork<T>(costMax: number, evaluate: () => T): Worked<T> {
  const outer = { done, doneMax };
  done = 0;
  doneMax = freeSteps + costMax * stepsOfCost;
  try {
    const result = evaluate();
    return { result, cost: Math.ceil(Math.max(0, done - freeSteps) / stepsOfCost) };
  } finally {
    done += outer.done;
    doneMax = outer.doneMax;
  }
}
