import type { CounterSeries, HistogramSeries } from '../metrics/series.ts';
import type { Counter, Histogram, MetricsRegistry } from '../metrics/registry.ts';
import type { Flow } from './configuration.ts';
import type { QueuedRequest } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';
import { Utilization } from './utilization.ts';

const durationBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const prefix = 'apiserver_flowcontrol_';

/** What is counted of one flow schema's requests in one level. */
interface Tally {
  readonly labels: readonly [level: string, schema: string];
  readonly dispatched: CounterSeries;
  readonly seatsEstimated: HistogramSeries;
  readonly waited: HistogramSeries;
  readonly executed: HistogramSeries;
  /** Of writes only, made with the first. */
  watchers: HistogramSeries | undefined;
  executing: number;
  seats: number;
  waiting: number;
  seatsWaiting: number;
}

/** `apiserver_flowcontrol_*`, under upstream's names; what can be read when somebody asks is not followed. */
export class FlowControlMetrics {
  fairFraction = 0;
  readonly #tallies = new WeakMap<Flow, Tally>();
  readonly #byLabels = new Map<string, Tally>();
  readonly #utilization: Utilization;
  readonly #rejected: Counter;
  readonly #dispatched: Counter;
  readonly #waited: Histogram;
  readonly #executed: Histogram;
  readonly #seatsEstimated: Histogram;
  readonly #watchers: Histogram;

  constructor(registry: MetricsRegistry, levels: () => ReadonlyMap<string, PriorityLevel>) {
    const labels = ['priority_level', 'flow_schema'];
    this.#rejected = registry.counter({
      name: `${prefix}rejected_requests_total`,
      help: 'Number of requests rejected by API Priority and Fairness subsystem',
      stability: 'BETA',
      labels: [...labels, 'reason'],
    });
    this.#dispatched = registry.counter({
      name: `${prefix}dispatched_requests_total`,
      help: 'Number of requests executed by API Priority and Fairness subsystem',
      stability: 'BETA',
      labels,
    });
    this.#waited = registry.histogram({
      name: `${prefix}request_wait_duration_seconds`,
      help: 'Length of time a request spent waiting in its queue',
      stability: 'BETA',
      labels: [...labels, 'execute'],
      buckets: durationBuckets,
    });
    this.#executed = registry.histogram({
      name: `${prefix}request_execution_seconds`,
      help:
        'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API ' +
        'Priority and Fairness subsystem',
      stability: 'ALPHA',
      labels: [...labels, 'type'],
      buckets: durationBuckets,
    });
    this.#seatsEstimated = registry.histogram({
      name: `${prefix}work_estimated_seats`,
      help:
        'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and ' +
        'Fairness',
      stability: 'ALPHA',
      labels,
      buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    });
    this.#watchers = registry.histogram({
      name: `${prefix}watch_count_samples`,
      help: 'count of watchers for mutating requests in API Priority and Fairness',
      stability: 'ALPHA',
      labels,
      buckets: [0, 1, 10, 100, 1000, 10000],
    });
    this.#utilization = new Utilization(registry, levels);
    flowGauges(registry, () => this.#byLabels.values());
    levelGauges(registry, levels, () => this.fairFraction);
  }

  began(flow: Flow, request: QueuedRequest, waitedSeconds: number): void {
    const tally = this.#tallyOf(flow);
    const { seats } = request;
    this.#utilization.change('executing', request, 1);
    tally.executing += 1;
    tally.seats += seats;
    tally.seatsEstimated.observe(seats);
    if (!flow.level.isExempt) tally.waited.observe(waitedSeconds);
    tally.dispatched.add();
  }

  ended(flow: Flow, request: QueuedRequest, isWatch: boolean, nowMs = flow.level.queues.nowMs): void {
    const tally = this.#tallyOf(flow);
    this.#utilization.change('executing', request, -1);
    tally.executing -= 1;
    tally.seats -= request.seats;
    const seconds = (nowMs - request.startMs) / 1000;
    if (isWatch) this.#executed.of(...tally.labels, 'watch').observe(seconds);
    else tally.executed.observe(seconds);
  }

  waiting(flow: Flow, request: QueuedRequest, change: 1 | -1): void {
    const tally = this.#tallyOf(flow);
    this.#utilization.change('waiting', request, change);
    tally.waiting += change;
    tally.seatsWaiting += change * request.seats;
  }

  waited(flow: Flow, seconds: number, isExecuted: boolean): void {
    this.#waited.of(...this.#tallyOf(flow).labels, String(isExecuted)).observe(seconds);
  }

  /** A level that was not there before is looked at from now on. */
  follow(levels: Iterable<PriorityLevel>): void {
    for (const level of levels) this.#utilization.follow(level);
  }

  watchers(flow: Flow, count: number): void {
    const tally = this.#tallyOf(flow);
    tally.watchers ??= this.#watchers.of(...tally.labels);
    tally.watchers.observe(count);
  }

  rejected(flow: Flow, reason: string): void {
    this.#rejected.of(...this.#tallyOf(flow).labels, reason).add();
  }

  #tallyOf(flow: Flow): Tally {
    const known = this.#tallies.get(flow);
    if (known) return known;
    const labels = [flow.level.name, flow.name] as const;
    const key = labels.join('/');
    const tally = this.#byLabels.get(key) ?? {
      labels,
      dispatched: this.#dispatched.of(...labels),
      seatsEstimated: this.#seatsEstimated.of(...labels),
      waited: this.#waited.of(...labels, 'true'),
      executed: this.#executed.of(...labels, 'regular'),
      watchers: undefined,
      executing: 0,
      seats: 0,
      waiting: 0,
      seatsWaiting: 0,
    };
    this.#byLabels.set(key, tally);
    this.#tallies.set(flow, tally);
    return tally;
  }
}

function flowGauges(registry: MetricsRegistry, tallies: () => Iterable<Tally>): void {
  const labels = ['priority_level', 'flow_schema'];
  const define = (name: string, help: string, stability: 'ALPHA' | 'BETA', read: (tally: Tally) => number) => {
    const gauge = registry.gauge({ name: prefix + name, help, stability, labels });
    registry.onCollect(() => {
      for (const tally of tallies()) gauge.of(...tally.labels).set(read(tally));
    });
  };
  const subsystem = 'the API Priority and Fairness subsystem';
  define(
    'current_inqueue_requests',
    `Number of requests currently pending in queues of ${subsystem}`,
    'BETA',
    ({ waiting }) => waiting,
  );
  define(
    'current_inqueue_seats',
    `Number of seats currently pending in queues of ${subsystem}`,
    'ALPHA',
    ({ seatsWaiting }) => seatsWaiting,
  );
  define(
    'current_executing_requests',
    `Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in ${subsystem}`,
    'BETA',
    ({ executing }) => executing,
  );
  define(
    'current_executing_seats',
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage ' +
      `otherwise) requests in ${subsystem}`,
    'BETA',
    ({ seats }) => seats,
  );
}

type LevelGauge = readonly [
  name: string,
  stability: 'ALPHA' | 'BETA',
  help: string,
  read: (l: PriorityLevel) => number,
];

const levelGaugeTable: readonly LevelGauge[] = [
  [
    'nominal_limit_seats',
    'BETA',
    'Nominal number of execution seats configured for each priority level',
    (level) => level.nominalSeats,
  ],
  [
    'lower_limit_seats',
    'ALPHA',
    'Configured lower bound on number of execution seats available to each priority level',
    (level) => level.lowerSeats,
  ],
  [
    'upper_limit_seats',
    'ALPHA',
    'Configured upper bound on number of execution seats available to each priority level',
    (level) => level.upperSeats,
  ],
  [
    'current_limit_seats',
    'ALPHA',
    'current derived number of execution seats available to each priority level',
    (level) => level.currentSeats,
  ],
  [
    'demand_seats_high_watermark',
    'ALPHA',
    'High watermark, over last adjustment period, of demand_seats',
    (level) => level.demand.highWatermark,
  ],
  [
    'demand_seats_average',
    'ALPHA',
    'Time-weighted average, over last adjustment period, of demand_seats',
    (level) => level.demand.average,
  ],
  [
    'demand_seats_stdev',
    'ALPHA',
    'Time-weighted standard deviation, over last adjustment period, of demand_seats',
    (level) => level.demand.deviation,
  ],
  ['demand_seats_smoothed', 'ALPHA', 'Smoothed seat demands', (level) => level.demand.smoothed],
  ['target_seats', 'ALPHA', 'Seat allocation targets', (level) => level.demand.target],
  ['current_r', 'ALPHA', 'R(time of last change)', (level) => level.queues.currentR],
];

function levelGauges(
  registry: MetricsRegistry,
  levels: () => ReadonlyMap<string, PriorityLevel>,
  fairFraction: () => number,
): void {
  for (const [name, stability, help, read] of levelGaugeTable) {
    const gauge = registry.gauge({ name: prefix + name, help, stability, labels: ['priority_level'] });
    registry.onCollect(() => {
      gauge.reset();
      for (const level of levels().values()) gauge.of(level.name).set(read(level));
    });
  }
  const fair = registry.gauge({
    name: `${prefix}seat_fair_frac`,
    help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
    stability: 'ALPHA',
  });
  registry.onCollect(() => fair.of().set(fairFraction()));
}
