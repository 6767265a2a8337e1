import type { Histogram, MetricsRegistry } from '../metrics/registry.ts';
import type { HistogramSeries } from '../metrics/series.ts';
import type { Entering } from './flow-control.ts';
import type { QueuedRequest } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

const prefix = 'apiserver_flowcontrol_';
const nanosecondsPerSecond = 1e9;
const everyNanosecond = 'Observations, at the end of every nanosecond, of';
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

type Phase = 'executing' | 'waiting';
type Kind = 'mutating' | 'readOnly';

/**
 * How full everything is, over time: upstream's histograms that observe once a nanosecond. Each state counts as often as
 * it lasted nanoseconds, at its end.
 */
export class Utilization {
  readonly #requests: Histogram;
  readonly #seats: Histogram;
  readonly #demand: Histogram;
  readonly #ratios: Readonly<Record<Phase, Readonly<Record<Kind, HistogramSeries>>>>;
  readonly #levels: () => ReadonlyMap<string, PriorityLevel>;
  readonly #counts = { executing: { mutating: 0, readOnly: 0 }, waiting: { mutating: 0, readOnly: 0 } };
  /** Of the second that goes on, and of the one before. */
  #most = { mutating: 0, readOnly: 0 };
  #mostBefore = { mutating: 0, readOnly: 0 };
  #second = 0;
  #atMs = 0;

  constructor(registry: MetricsRegistry, levels: () => ReadonlyMap<string, PriorityLevel>) {
    this.#levels = levels;
    const histogram = (name: string, what: string, labels: readonly string[], buckets: readonly number[]) =>
      registry.histogram({
        name: prefix + name,
        help: `${everyNanosecond} ${what}`,
        stability: 'ALPHA',
        labels,
        buckets,
      });
    this.#seats = histogram(
      'priority_level_seat_utilization',
      'utilization of seats for any stage of execution (but only initial stage for WATCHes)',
      ['phase', 'priority_level'],
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    );
    this.#requests = histogram(
      'priority_level_request_utilization',
      'number of requests (as a fraction of the relevant limit) waiting or in any stage of execution ' +
        '(but only initial stage for WATCHes)',
      ['phase', 'priority_level'],
      [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
    );
    this.#demand = histogram(
      'demand_seats',
      '(the number of seats each priority level could use) / (nominal number of seats for that level)',
      ['priority_level'],
      [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
    );
    const kinds = histogram(
      'read_vs_write_current_requests',
      'the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
      ['phase', 'request_kind'],
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    );
    const ofPhase = (phase: Phase) => ({
      mutating: kinds.of(phase, 'mutating'),
      readOnly: kinds.of(phase, 'readOnly'),
    });
    this.#ratios = { executing: ofPhase('executing'), waiting: ofPhase('waiting') };
    const inQueue = registry.gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Maximal number of queued requests in this apiserver per request kind in last second.',
      stability: 'ALPHA',
      labels: ['request_kind'],
    });
    registry.onCollect(() => {
      for (const { queues } of levels().values()) {
        queues.reach();
        this.#reach(queues.nowMs);
      }
      for (const kind of ['mutating', 'readOnly'] as const) inQueue.of(kind).set(this.#mostBefore[kind]);
    });
  }

  follow(level: PriorityLevel): void {
    const { name, queues } = level;
    if (queues.onTimePassed) return;
    const executing = this.#requests.of('executing', name);
    const waiting = this.#requests.of('waiting', name);
    const seats = this.#seats.of('executing', name);
    const demand = this.#demand.of(name);
    queues.onTimePassed = (seconds) => {
      const nanoseconds = Math.round(seconds * nanosecondsPerSecond);
      const limit = level.currentSeats || level.denominator;
      executing.observe(queues.executing / limit, nanoseconds);
      waiting.observe(queues.waiting / queues.waitingMax, nanoseconds);
      seats.observe(queues.seatsInUse / limit, nanoseconds);
      demand.observe((queues.seatsInUse + queues.seatsWaiting) / limit, nanoseconds);
    };
  }

  change(phase: Phase, { arrival, arrivalMs, startMs }: QueuedRequest, by: 1 | -1): void {
    const { verb } = (arrival.about as Entering).attributes;
    const kind: Kind = readVerbs.has(verb) ? 'readOnly' : 'mutating';
    this.#reach(Math.max(arrivalMs, startMs));
    const count = (this.#counts[phase][kind] += by);
    if (phase === 'waiting' && count > this.#most[kind]) this.#most[kind] = count;
  }

  #reach(nowMs: number): void {
    if (nowMs <= this.#atMs) return;
    const nanoseconds = this.#atMs === 0 ? 0 : Math.round((nowMs - this.#atMs) * 1e6);
    this.#atMs = nowMs;
    this.#turn(Math.floor(nowMs / 1000));
    if (nanoseconds === 0) return;
    const limits = { executing: 0, waiting: 0 };
    for (const { nominalSeats, queues } of this.#levels().values()) {
      limits.executing += nominalSeats;
      limits.waiting += queues.waitingMax;
    }
    for (const phase of ['executing', 'waiting'] as const) {
      for (const kind of ['mutating', 'readOnly'] as const) {
        const ratio = this.#counts[phase][kind] / Math.max(1, limits[phase]);
        this.#ratios[phase][kind].observe(ratio, nanoseconds);
      }
    }
  }

  #turn(second: number): void {
    if (second === this.#second) return;
    this.#mostBefore = second === this.#second + 1 ? this.#most : { ...this.#counts.waiting };
    this.#most = { ...this.#counts.waiting };
    this.#second = second;
  }
}
