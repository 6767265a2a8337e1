import { scoreMax } from './framework.ts';

/** Counts → scores from 0 to 100 in proportion to the largest; all 0 where the largest is 0. */
export function normalize(counts: readonly number[]): number[] {
  const largest = Math.max(0, ...counts);
  return counts.map((count) => (largest === 0 ? 0 : Math.floor((scoreMax * count) / largest)));
}

/** Stretches scores over 0 to 100, the smallest 0 and the largest 100; all 0 where they are equal. */
export function stretch(scores: readonly number[]): number[] {
  const least = Math.min(...scores);
  const range = Math.max(...scores) - least;
  return scores.map((score) => (range > 0 ? Math.floor((scoreMax * (score - least)) / range) : 0));
}
