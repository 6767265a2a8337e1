import { Family, type FamilyOptions } from './family.ts';
import {
  counterKind,
  gaugeKind,
  histogramKind,
  type CounterSeries,
  type GaugeSeries,
  type HistogramSeries,
} from './series.ts';

export type Counter = Family<CounterSeries>;
export type Gauge = Family<GaugeSeries>;
export type Histogram = Family<HistogramSeries>;

export interface HistogramOptions extends FamilyOptions {
  /** Inclusive upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[];
}

/**
 * The metrics of one server. Whoever counts something makes its family here, once, and keeps it:
 *
 *     const rejected = metrics.counter({ name: 'apiserver_x_total', help: 'Of x.', stability: 'ALPHA', labels: ['y'] });
 *     rejected.of('why').add();
 */
export class MetricsRegistry {
  readonly #families = new Map<string, { text(): string; reset(): void }>();
  readonly #collectors: (() => void)[] = [];

  /** Throws where the name is taken, as all of these do. */
  counter(options: FamilyOptions): Counter {
    return this.#add(new Family(counterKind, options));
  }

  gauge(options: FamilyOptions): Gauge {
    return this.#add(new Family(gaugeKind, options));
  }

  histogram(options: HistogramOptions): Histogram {
    return this.#add(new Family(histogramKind(options.buckets), options));
  }

  /** Runs before each exposition: for what is cheaper to read when somebody asks than to follow. */
  onCollect(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** Text format 0.0.4, families sorted by name. */
  text(): string {
    for (const collect of this.#collectors) collect();
    const names = [...this.#families.keys()].sort();
    return names.map((name) => this.#families.get(name)!.text()).join('');
  }

  /** Everything back to nothing: DELETE /metrics. */
  reset(): void {
    for (const collect of this.#collectors) collect();
    for (const family of this.#families.values()) family.reset();
  }

  #add<Series>(family: Family<Series>): Family<Series> {
    if (this.#families.has(family.name)) throw new Error(`the metric "${family.name}" is registered twice`);
    this.#families.set(family.name, family);
    return family;
  }
}
