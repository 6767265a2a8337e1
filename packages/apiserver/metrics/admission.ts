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
    registry.onCollect(() => this.#countSilent());
  }

  /** Begins a step of one request. */
  timer(step: AdmissionStep, operation: string): StepTimer {
    const key = `${step}|${operation}`;
    let known = this.#known.get(key);
    if (!known) {
      const labels = [step, operation] as const;
      known = {
        plugins: new Map(),
        passed: this.#steps.of(...labels, 'false'),
        rejected: this.#steps.of(...labels, 'true'),
        silent: new Map(),
        make: (name, rejected) => this.#plugins.of(name, ...labels, String(rejected)),
      };
      this.#known.set(key, known);
    }
    return new StepTimer(known);
  }

  /** A plugin that is not asked has answered at once; that is written down when somebody reads it. */
  #countSilent(): void {
    for (const { silent, make } of this.#known.values()) {
      for (const [names, times] of silent) for (const name of names) make(name, false).observe(0, times);
      silent.clear();
    }
  }
}

/** The series of a step of an operation. */
interface StepSeries {
  /** Of each plugin: what it let pass. */
  readonly plugins: Map<string, HistogramSeries>;
  readonly passed: HistogramSeries;
  readonly rejected: HistogramSeries;
  /** How often these plugins were passed over since the metrics were read. */
  readonly silent: Map<readonly string[], number>;
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

  plugin(name: string): void {
    const { plugins, make } = this.#series;
    let series = plugins.get(name);
    if (!series) plugins.set(name, (series = make(name, false)));
    const nowMs = performance.now();
    series.observe((nowMs - this.#lastMs) / 1000);
    this.#lastMs = nowMs;
  }

  /** `silent`: those that were not asked; the same list for all requests that are alike. */
  end(silent: readonly string[]): void {
    const { passed, silent: times } = this.#series;
    passed.observe((this.#lastMs - this.#startedMs) / 1000);
    if (silent.length > 0) times.set(silent, (times.get(silent) ?? 0) + 1);
  }

  refused(name: string): void {
    const nowMs = performance.now();
    this.#series.make(name, true).observe((nowMs - this.#lastMs) / 1000);
    this.#series.rejected.observe((nowMs - this.#startedMs) / 1000);
  }
}
