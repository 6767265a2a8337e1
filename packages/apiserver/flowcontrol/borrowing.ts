import { allocate } from './allocation.ts';
import type { PriorityLevel } from './priority-level.ts';

/**
 * Gives every level the seats that it gets until the next time: what it has for itself, and a share of what others do
 * not use (KEP-1040, "Seat borrowing"). Answers the fair fraction.
 */
export function adjustBorrowing(levels: readonly PriorityLevel[], nowMs: number): number {
  let nominalSum = 0;
  for (const level of levels) {
    level.observeDemand(nowMs);
    nominalSum += level.nominalSeats;
  }
  let remaining = nominalSum;
  for (const level of levels.filter(({ isExempt }) => isExempt)) {
    level.demand.target = Math.max(level.lowerSeats, level.demand.highWatermark);
    level.setSeats(level.demand.target);
    remaining -= level.currentSeats;
  }
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const minima = limited.map(({ lowerSeats, nominalSeats, demand }) =>
    Math.max(lowerSeats, Math.min(nominalSeats, demand.highWatermark)),
  );
  limited.forEach((level, index) => {
    level.demand.target = Math.max(minima[index]!, level.demand.smoothed);
  });
  const lowerSum = limited.reduce((sum, { lowerSeats }) => sum + lowerSeats, 0);
  const minimaSum = minima.reduce((sum, minimum) => sum + minimum, 0);
  if (remaining <= lowerSum) {
    for (const level of limited) level.setSeats(level.lowerSeats);
    return 0;
  }
  if (remaining <= minimaSum) {
    const fraction = (remaining - lowerSum) / (minimaSum - lowerSum);
    limited.forEach((level, index) => {
      level.setSeats(level.lowerSeats + Math.round((minima[index]! - level.lowerSeats) * fraction));
    });
    return 0;
  }
  return allocateFairly(limited, minima, nominalSum);
}

function allocateFairly(limited: readonly PriorityLevel[], minima: readonly number[], sum: number): number {
  const claims = limited.map(({ upperSeats, demand }, index) => ({
    lowerBound: minima[index]!,
    upperBound: upperSeats,
    target: demand.target,
  }));
  try {
    const { shares, fairProportion } = allocate(sum, claims);
    limited.forEach((level, index) => level.setSeats(Math.round(shares[index]!)));
    return fairProportion;
  } catch {
    // No solution: everybody keeps what they have.
    for (const level of limited) level.setSeats(level.currentSeats);
    return 0;
  }
}
