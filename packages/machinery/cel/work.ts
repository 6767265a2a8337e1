import { CelCostError } from './errors.ts';

/**
 * What functions really do. Upstream counts a call's cost by the size of its arguments, after the call; but one call can
 * do far more than that: compare lists of lists that share their parts, or all elements with each other. So functions
 * tell of each step before they make it, and an evaluation ends when it has made too many.
 */
let done = 0;
let doneMax = Number.POSITIVE_INFINITY;

/** A step is 10 to 50 ns: comparing two values, or some characters. Throws `CelCostError`. */
export function work(steps: number): void {
  done += steps;
  if (done > doneMax) throw new CelCostError();
}

/** Steps that upstream's unit of cost, about 0.1 µs, stands for. */
const stepsOfCost = 8;
/** One call may make twice as many, half a second's: upstream counts none of them. All calls share a budget of cost. */
const stepsOfCostMax = 2 * stepsOfCost;
/** What every evaluation may do beside its cost: what is usual then costs what it costs upstream. */
const freeSteps = 1_000;

/** How an evaluation ended, and the steps that it made until then. */
export type Worked<T> = { readonly steps: number } & (
  | { readonly result: T; readonly thrown?: undefined }
  | { readonly thrown: unknown }
);

/** Runs an evaluation, which may contain others; it ends by `CelCostError` when it does far more than `costMax` stands for. */
export function limitWork<T>(costMax: number, evaluate: () => T): Worked<T> {
  const outer = { done, doneMax };
  done = 0;
  doneMax = freeSteps + costMax * stepsOfCostMax;
  try {
    const result = evaluate();
    return { result, steps: done };
  } catch (thrown) {
    return { thrown, steps: done };
  } finally {
    done += outer.done;
    doneMax = outer.doneMax;
  }
}

/** What steps cost beyond the units that were counted for them. */
export function costBeyond(cost: number, steps: number): number {
  return Math.ceil(Math.max(0, steps - freeSteps - cost * stepsOfCost) / stepsOfCost);
}
