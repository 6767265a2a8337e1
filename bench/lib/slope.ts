/**
 * How steeply the points rise: the median of the slopes between every two of them (Theil and Sen), which a few points
 * that lie far off do not change. 0 for less than two.
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  );
  slopes.sort((a, b) => a - b);
  const middle = slopes.length / 2;
  return ((slopes[Math.floor(middle)] ?? 0) + (slopes[Math.ceil(middle) - 1] ?? 0)) / 2;
}
