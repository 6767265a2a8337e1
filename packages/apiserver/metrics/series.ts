import { numberText } from './exposition.ts';
import type { SeriesKind } from './family.ts';

/** Only grows. */
export interface CounterSeries {
  /** One more, or as many as are given. */
  add(count?: number): void;
}

/** Goes up and down. */
export interface GaugeSeries {
  add(change?: number): void;
  set(value: number): void;
}

/** How values are distributed over buckets. */
export interface HistogramSeries {
  /** `weight`: as if so many were observed. */
  observe(value: number, weight?: number): void;
}

class Value implements CounterSeries, GaugeSeries {
  value = 0;

  add(change = 1): void {
    this.value += change;
  }

  set(value: number): void {
    this.value = value;
  }
}

const write = (name: string, labels: string, { value }: Value) =>
  `${name}${labels && `{${labels}}`} ${numberText(value)}\n`;

export const counterKind: SeriesKind<CounterSeries> = {
  type: 'counter',
  make: () => new Value(),
  write: (name, labels, series) => write(name, labels, series as Value),
  reset: (series) => (series as Value).set(0),
};

export const gaugeKind: SeriesKind<GaugeSeries> = {
  type: 'gauge',
  make: () => new Value(),
  write: (name, labels, series) => write(name, labels, series as Value),
  reset: (series) => (series as Value).set(0),
};

class Buckets implements HistogramSeries {
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last one takes what is above all of them. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, weight = 1): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at += 1;
    this.counts[at]! += weight;
    this.sum += value * weight;
  }

  reset(): void {
    this.counts.fill(0);
    this.sum = 0;
  }
}

/** `bounds`: inclusive upper ones, ascending, without +Inf. */
export function histogramKind(bounds: readonly number[]): SeriesKind<HistogramSeries> {
  const limits = [...bounds, Infinity].map(numberText);
  return {
    type: 'histogram',
    make: () => new Buckets(bounds),
    reset: (series) => (series as Buckets).reset(),
    write(name, labels, series) {
      const { counts, sum } = series as Buckets;
      let below = 0;
      const before = labels && `${labels},`;
      const lines = limits.map((limit, index) => {
        below += counts[index] ?? 0;
        return `${name}_bucket{${before}le="${limit}"} ${numberText(below)}\n`;
      });
      const set = labels && `{${labels}}`;
      return `${lines.join('')}${name}_sum${set} ${numberText(sum)}\n${name}_count${set} ${numberText(below)}\n`;
    },
  };
}
