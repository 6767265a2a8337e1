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
  readonly #families = new Map<string, Pick<Family<unknown>, 'text' | 'reset' | 'forget'>>();
  readonly #collectors: (() => void)[] = [];
  readonly #onForget: (() => void)[] = [];

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

  /** Ends the series of all families whose values of these labels are gone. */
  forget(labels: readonly string[], isGone: (values: readonly string[]) => boolean): void {
    for (const family of this.#families.values()) family.forget(labels, isGone);
    for (const callback of this.#onForget) callback();
  }

  /** Series have ended: whoever keeps some asks for them anew. */
  onForget(callback: () => void): void {
    this.#onForget.push(callback);
  }

  #add<Series>(family: Family<Series>): Family<Series> {
    if (this.#families.has(family.name)) throw new Error(`the metric "${family.name}" is registered twice`);
    this.#families.set(family.name, family);
    return family;
  }
}
