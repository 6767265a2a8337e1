import { CelCostError, noSuchOverload } from '../errors.ts';
import type { Evaluate, Frame } from './frame.ts';

/**
 * `a && b` and `a || b`: the deciding value on either side wins, also over an error on the other (the CEL
 * specification, "Logical operators"). An exceeded cost is never absorbed.
 */
export function compileLogical(decides: boolean, left: Evaluate, right: Evaluate): Evaluate {
  return (frame) => {
    let first: unknown;
    try {
      first = left(frame);
    } catch (error) {
      return afterError(decides, error, right, frame);
    }
    if (first === decides) return decides;
    const second = right(frame);
    if (second === decides) return decides;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
    return !decides;
  };
}

function afterError(decides: boolean, error: unknown, right: Evaluate, frame: Frame): boolean {
  if (error instanceof CelCostError) throw error;
  let second: unknown;
  try {
    second = right(frame);
  } catch (other) {
    if (other instanceof CelCostError) throw other;
    throw error;
  }
  if (second === decides) return decides;
  throw error;
}
