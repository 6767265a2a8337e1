/** A class that wants a share of a sum, within its bounds. */
export interface Claim {
  readonly target: number;
  readonly lowerBound: number;
  readonly upperBound: number;
}

export interface Allocation {
  readonly shares: readonly number[];
  /** What each share is of its target, where no bound says otherwise. */
  readonly fairProportion: number;
}

/** Targets of nothing would make all proportions infinite. */
const targetMin = 0.001;
const epsilon = 1e-7;

/**
 * Divides `sum` so that every class gets the same proportion of its target, but for those whose bounds forbid it
 * (KEP-1040, "Seat borrowing"). Throws an Error where the bounds leave no solution.
 */
export function allocate(sum: number, claims: readonly Claim[]): Allocation {
  const lowSum = claims.reduce((total, { lowerBound }) => total + lowerBound, 0);
  const highSum = claims.reduce((total, { upperBound }) => total + upperBound, 0);
  if (lowSum - sum > epsilon) throw new Error(`lower bounds sum to ${lowSum}, which is higher than the sum of ${sum}`);
  if (sum - highSum > epsilon) throw new Error(`upper bounds sum to ${highSum}, which is lower than the sum of ${sum}`);
  if (sum === 0) return { shares: claims.map(() => 0), fairProportion: 0 };
  const targets = claims.map(({ target }) => Math.max(target, targetMin));
  const shareAt = (proportion: number) =>
    claims.map(({ lowerBound, upperBound }, index) =>
      Math.max(lowerBound, Math.min(upperBound, proportion * targets[index]!)),
    );
  // The sum grows with the proportion, in straight lines between the places where a class meets one of its bounds.
  const bends = claims
    .flatMap(({ lowerBound, upperBound }, index) => [lowerBound / targets[index]!, upperBound / targets[index]!])
    .sort((a, b) => a - b);
  const total = (proportion: number) => shareAt(proportion).reduce((all, share) => all + share, 0);
  let low = bends[0] ?? 0;
  let lowTotal = total(low);
  if (lowTotal >= sum - epsilon) return { shares: shareAt(low), fairProportion: low };
  for (const high of bends) {
    const highTotal = total(high);
    if (highTotal < sum - epsilon) {
      low = high;
      lowTotal = highTotal;
      continue;
    }
    const proportion = low + ((sum - lowTotal) * (high - low)) / (highTotal - lowTotal);
    return { shares: shareAt(proportion), fairProportion: proportion };
  }
  return { shares: shareAt(low), fairProportion: low };
}
