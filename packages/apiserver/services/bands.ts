import type { Random } from '@kubernode/machinery';

/** What a range answers to a wish for one of its values. */
export type Reservation = 'ok' | 'used' | 'outside';

/** No value is left. The message is upstream's. */
export class RangeFullError extends Error {
  override readonly name = 'RangeFullError';

  constructor() {
    super('range is full');
  }
}

/** A size split in two: values below `staticSize` are left to those who ask for one by number (KEP-3070, KEP-3668). */
export interface Bands {
  readonly size: number;
  readonly staticSize: number;
}

/** The lower band is 1/`step` of the size, but at least `min` and at most `max`; none in a range up to `min`. */
export function bandsOf(size: number, { min, max, step }: { min: number; max: number; step: number }): Bands {
  const staticSize = size <= min ? 0 : Math.min(Math.max(Math.floor(size / step), min), max);
  return { size, staticSize };
}

/**
 * An offset that is free: the first from a random place on in the upper band, and in the lower one only when the upper
 * is full. Throws a RangeFullError.
 */
export function freeOffset({ size, staticSize }: Bands, isFree: (offset: number) => boolean, random: Random): number {
  const found = freeIn(staticSize, size, isFree, random) ?? freeIn(0, staticSize, isFree, random);
  if (found === undefined) throw new RangeFullError();
  return found;
}

function freeIn(from: number, to: number, isFree: (offset: number) => boolean, random: Random): number | undefined {
  const count = to - from;
  const start = Math.floor(random() * count);
  for (let step = 0; step < count; step += 1) {
    const offset = from + ((start + step) % count);
    if (isFree(offset)) return offset;
  }
  return undefined;
}
