import type { Histogram, MetricsRegistry } from './registry.ts';
import type { HistogramSeries } from './series.ts';

export type AdmissionStep = 'admit' | 'validate';

const stepBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Times admission: each plugin, and the mutating and the validating step as a whole. */
export class AdmissionMetrics {
  readonly #plugins: Histogram;
  readonly #steps: Histogram;
  readonly #known = new Map<string, StepSeries>();

  constructor(registry: MetricsRegistry) {
    this.#plugins = registry.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help:
        'Admission controller latency histogram in seconds, identified by name and broken out for each operation and ' +
        'API resource and type (validate or admit).',
      stability: 'STABLE',
      labels: ['name', 'type', 'operation', 'rejected'],
      buckets: stepBuckets,
    });
    this.#steps = registry.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      help:
        'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step ' +
        'type (validate or admit).',
      stability: 'STABLE',
      labels: ['type', 'operation', 'rejected'],
      buckets: stepBuckets,
    });
  }

  /** Begins a step of one request. */
  timer(step: AdmissionStep, operation: string): StepTimer {
    const key = `${step}|${operation}`;
    let known = this.#known.get(key);
    if (!known) {
      const labels = [step, operation] as const;
      known = {
        plugins: [new Map(), new Map()],
        steps: [this.#steps.of(...labels, 'false'), this.#steps.of(...labels, 'true')],
        make: (name, rejected) => this.#plugins.of(name, ...labels, String(rejected)),
      };
      this.#known.set(key, known);
    }
    return new StepTimer(known);
  }
}

/** The series of a step of an operation: of what passed, and of what was refused. */
interface StepSeries {
  readonly plugins: readonly [Map<string, HistogramSeries>, Map<string, HistogramSeries>];
  readonly steps: readonly [HistogramSeries, HistogramSeries];
  readonly make: (name: string, rejected: boolean) => HistogramSeries;
}

/** Times the plugins of a step one after the other: each from where the one before it ended. */
class StepTimer {
  readonly #series: StepSeries;
  readonly #startedMs = performance.now();
  #lastMs = this.#startedMs;

  constructor(series: StepSeries) {
    this.#series = series;
  }

  plugin(name: string, rejected = false): void {
    const nowMs = performance.now();
    const known = this.#series.plugins[rejected ? 1 : 0];
    let series = known.get(name);
    if (!series) {
      series = this.#series.make(name, rejected);
      known.set(name, series);
    }
    series.observe((nowMs - this.#lastMs) / 1000);
    this.#lastMs = nowMs;
  }

  end(rejected = false): void {
    this.#series.steps[rejected ? 1 : 0].observe((performance.now() - this.#startedMs) / 1000);
  }
}
