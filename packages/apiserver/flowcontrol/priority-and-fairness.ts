import type { User } from '@kubernode/api';
import type { Clock } from '@kubernode/machinery';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { Attributes, ClusterState } from '../seams.ts';
import { adjustBorrowing } from './borrowing.ts';
import { digest, type Configuration, type Flow } from './configuration.ts';
import { dump } from './dumps.ts';
import { unlimited, type Entering, type FlowControl, type Seat } from './flow-control.ts';
import type { QueuedRequest } from './flow-queue.ts';
import { FlowControlMetrics } from './flow-metrics.ts';
import { isLongRunning } from './long-running.ts';
import { distinguisherOf, matches } from './matching.ts';
import type { Arrival, Refusal } from './queue-set.ts';
import { TurnEnd } from '../turn-end.ts';
import { WatchTracker } from './watch-tracker.ts';
import { estimateWork, type WorkFacts } from './work.ts';

/** How often levels lend and borrow anew. */
const borrowingPeriodMs = 10_000;

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

export interface FlowControlOptions {
  readonly clock: Clock;
  readonly state: ClusterState;
  readonly metrics: MetricsRegistry;
  readonly stored: WorkFacts['stored'];
  /** All seats of the server: `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
  readonly serverSeats: number;
}

/** API Priority and Fairness (KEP-1040), by the cluster's FlowSchemas and PriorityLevelConfigurations. */
export class PriorityAndFairness implements FlowControl {
  readonly #options: FlowControlOptions;
  readonly #metrics: FlowControlMetrics;
  readonly #stops: (() => void)[];
  readonly #watches = new WatchTracker();
  /** Seats are given back then: requests that are answered at once would never meet, and a limit would limit nothing. */
  readonly #turnEnd = new TurnEnd();
  readonly #facts: WorkFacts;
  #configuration: Configuration = { flows: [], levels: new Map() };
  #isStale = true;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.#facts = { stored: options.stored, watches: (attributes) => this.#watches.count(attributes) };
    this.#metrics = new FlowControlMetrics(options.metrics, () => this.#current().levels);
    const forget = () => {
      this.#isStale = true;
    };
    const group = 'flowcontrol.apiserver.k8s.io';
    const tick = () => {
      const levels = [...this.#current().levels.values()];
      this.#metrics.fairFraction = adjustBorrowing(levels, options.clock.now());
      this.#stops[0] = options.clock.after(borrowingPeriodMs, tick);
    };
    this.#stops = [
      options.clock.after(borrowingPeriodMs, tick),
      options.state.onChange(group, 'flowschemas', forget),
      options.state.onChange(group, 'prioritylevelconfigurations', forget),
    ];
  }

  admit(entering: Entering): Seat | Promise<Seat> {
    const { user, attributes, query, isOutside } = entering;
    const isWatch = attributes.verb === 'watch';
    if (!isWatch && isLongRunning(attributes)) return unlimited;
    const flow = this.#flowOf(user, attributes);
    const { level } = flow;
    const work = estimateWork(attributes, query, this.#facts, level.requestSeatsMax);
    if (writeVerbs.has(attributes.verb)) this.#metrics.watchers(flow, this.#watches.count(attributes));
    const distinguisher = level.isExempt ? '' : distinguisherOf(flow.spec, user, attributes);
    const about = entering;
    const arrival: Arrival = { flowSchema: flow.name, distinguisher, work, about };
    const request = level.queues.arrive(arrival);
    if (typeof request === 'string') return this.#refuse(flow, request);
    // Where there is no limit, nobody waits for the seat; a watch that begins with few objects costs next to nothing.
    const isCheap = level.isExempt || (isWatch && work.initialSeats === 1);
    const turnEnd = isOutside && !isCheap ? this.#turnEnd : undefined;
    const seat = new TakenSeat(flow, request, this.#metrics, { isWatch, turnEnd });
    if (request.isExecuting) return seat.begin(0);
    return this.#wait(seat, flow, request, entering);
  }

  watching(attributes: Attributes): () => void {
    return this.#watches.begin(attributes);
  }

  dump(name: string, { details }: { details: boolean }): string | undefined {
    return dump(name, this.#current().levels, details);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #flowOf(user: User, attributes: Attributes): Flow {
    const { flows } = this.#current();
    for (const flow of flows) if (matches(flow.spec, user, attributes)) return flow;
    // Nobody is in neither of the two groups, unless an authenticator says so.
    return flows.findLast(({ name }) => name === 'catch-all') ?? flows.at(-1)!;
  }

  #current(): Configuration {
    if (!this.#isStale) return this.#configuration;
    this.#isStale = false;
    const { state, clock, serverSeats } = this.#options;
    this.#configuration = digest(state, this.#configuration.levels, { clock, serverSeats });
    this.#metrics.follow(this.#configuration.levels.values());
    this.#metrics.fairFraction = adjustBorrowing([...this.#configuration.levels.values()], clock.now());
    return this.#configuration;
  }

  #refuse(flow: Flow, reason: Refusal | 'time-out'): Seat {
    this.#metrics.rejected(flow, reason);
    flow.level.dropped.record(this.#options.clock.now());
    return { headers: flow.headers, retryAfterSeconds: flow.level.dropped.retryAfterSeconds, release() {} };
  }

  #wait(seat: TakenSeat, flow: Flow, request: QueuedRequest, { client, waitMs }: Entering): Promise<Seat> {
    const { clock } = this.#options;
    const { signal } = client;
    const { queues } = flow.level;
    this.#metrics.waiting(flow, request, 1);
    return new Promise((resolve) => {
      const settle = (result: Seat) => {
        cancel();
        signal.removeEventListener('abort', gone);
        resolve(result);
      };
      const waitedSeconds = () => (clock.now() - request.arrivalMs) / 1000;
      const giveUp = (why: 'timedOut' | 'cancelled') => {
        queues.leave(request, why);
        this.#metrics.waiting(flow, request, -1);
        this.#metrics.waited(flow, waitedSeconds(), false);
        settle(this.#refuse(flow, 'time-out'));
      };
      const gone = () => giveUp('cancelled');
      const cancel = clock.after(waitMs, () => giveUp('timedOut'));
      signal.addEventListener('abort', gone, { once: true });
      request.onDecision = () => {
        this.#metrics.waiting(flow, request, -1);
        settle(seat.begin(waitedSeconds()));
      };
      if (signal.aborted) gone();
    });
  }
}

class TakenSeat implements Seat {
  readonly #flow: Flow;
  readonly #request: QueuedRequest;
  readonly #metrics: FlowControlMetrics;
  readonly #isWatch: boolean;
  /** When the seat is free again; undefined: at once. */
  readonly #turnEnd: TurnEnd | undefined;
  #isReleased = false;

  constructor(
    flow: Flow,
    request: QueuedRequest,
    metrics: FlowControlMetrics,
    { isWatch, turnEnd }: { readonly isWatch: boolean; readonly turnEnd: TurnEnd | undefined },
  ) {
    this.#flow = flow;
    this.#request = request;
    this.#metrics = metrics;
    this.#isWatch = isWatch;
    this.#turnEnd = turnEnd;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#flow.headers;
  }

  begin(waitedSeconds: number): this {
    this.#metrics.began(this.#flow, this.#request, waitedSeconds);
    return this;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const { queues } = this.#flow.level;
    if (this.#turnEnd) {
      queues.reach();
      this.#turnEnd.after(() => queues.finish(this.#request));
    } else queues.finish(this.#request);
    this.#metrics.ended(this.#flow, this.#request, this.#isWatch);
  }
}
