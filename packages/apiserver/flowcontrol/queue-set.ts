import { IntrusiveSet, type Clock } from '@kubernode/machinery';
import { Dealer } from './shuffle-shard.ts';
import { Integrator } from './integrator.ts';
import { FlowQueue, type QueuedRequest } from './flow-queue.ts';
import { seatsOf, type Work } from './work.ts';

/** What a request is charged at its dispatch, until its end says how long it really took. */
const estimatedServiceSeconds = 0.003;

export interface QueueConfiguration {
  /** -1: everything is admitted at once (exempt). 0: what finds no seat is rejected. */
  readonly queues: number;
  readonly queueLengthLimit: number;
  readonly handSize: number;
}

export interface Arrival {
  readonly flowSchema: string;
  readonly distinguisher: string;
  readonly work: Work;
  /** Of whoever wants to look at what is under way. */
  readonly about: unknown;
}

export type Refusal = 'queue-full' | 'concurrency-limit';

/** What a priority level counts, for its metrics and its dump. */
export interface Tallies {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/**
 * The seats of one priority level and the queues before them (KEP-1040): requests go round by virtual time, in which
 * each flow that waits gets the same share of the seats. Pure but for the clock that is handed in; a request that finds
 * a seat free is dispatched in the same call.
 */
export class QueueSet {
  readonly #clock: Clock;
  readonly demand: Integrator;
  readonly tallies: Tallies = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly queueless = new IntrusiveSet<QueuedRequest>();
  queues: FlowQueue[] = [];
  #configuration: QueueConfiguration = { queues: -1, queueLengthLimit: 0, handSize: 0 };
  #dealer: Dealer | undefined;
  #seatsLimit = 0;
  #enqueued = 0;
  #robin = 0;
  #lastMs: number;
  /** The progress meter R: seat seconds that each active queue has had. */
  currentR = 0;
  /** Told, before anything changes, how long everything was as it is. */
  onTimePassed: ((seconds: number) => void) | undefined;
  waiting = 0;
  executing = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  #activeQueues = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastMs = clock.now();
    this.demand = new Integrator(this.#lastMs);
  }

  /** Lets the time that has passed count. */
  reach(): void {
    this.#syncTime();
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0;
  }

  /** When anything last happened here. */
  get nowMs(): number {
    return this.#lastMs;
  }

  /** How many requests may wait. */
  get waitingMax(): number {
    const { queues, queueLengthLimit } = this.#configuration;
    return Math.max(1, queueLengthLimit) * Math.max(1, queues);
  }

  /** Queues that are too many end once they are empty. */
  configure(configuration: QueueConfiguration): void {
    const { queues, handSize } = configuration;
    const same = queues === this.#configuration.queues && handSize === this.#configuration.handSize;
    this.#configuration = configuration;
    while (this.queues.length < queues) this.queues.push(new FlowQueue());
    if (!same) this.#dealer = queues > 0 ? new Dealer({ deckSize: queues, handSize }) : undefined;
    this.#dropEmptyQueues();
  }

  limit(seats: number): void {
    this.#syncTime();
    this.#seatsLimit = seats;
    this.#dispatchAll();
  }

  /** Dispatched at once (`isExecuting`), or waiting in a queue until `onDecision` is called; or refused. */
  arrive(arrival: Arrival): QueuedRequest | Refusal {
    const now = this.#syncTime();
    if (!this.#dealer) return this.#arriveQueueless(arrival, now);
    const queue = this.#chooseQueue(arrival);
    if (this.seatsInUse >= this.#seatsLimit && queue.requests.length >= this.#configuration.queueLengthLimit) {
      this.tallies.rejected += 1;
      return 'queue-full';
    }
    const request = queuedRequest(arrival, now, this.currentR, queue);
    if (!queue.isActive) {
      queue.nextDispatchR = this.currentR;
      this.#activeQueues += 1;
    }
    queue.push(request);
    queue.bound();
    this.waiting += 1;
    this.seatsWaiting += request.seats;
    this.#noteDemand(now);
    this.#dispatchAll();
    return request;
  }

  /** Who waits too long, or is gone, leaves its queue; what is dispatched already stays. */
  leave(request: QueuedRequest, why: 'timedOut' | 'cancelled'): void {
    const now = this.#syncTime();
    const { queue } = request;
    if (request.isExecuting || !queue?.remove(request)) return;
    this.waiting -= 1;
    this.seatsWaiting -= request.seats;
    this.tallies.rejected += 1;
    this.tallies[why] += 1;
    this.#noteDemand(now);
    this.#leftQueue(queue);
    queue.bound();
  }

  /** The request is answered. Seats for the watchers that it wakes stay taken for a while. */
  finish(request: QueuedRequest): void {
    const now = this.#syncTime();
    this.executing -= 1;
    this.tallies.dispatched += 1;
    const { queue, work } = request;
    if (queue) {
      const servedSeconds = (now - request.startMs) / 1000;
      queue.nextDispatchR -= work.initialSeats * (estimatedServiceSeconds - servedSeconds);
      queue.executing.delete(request);
      queue.bound();
      this.#leftQueue(queue);
    } else this.queueless.delete(request);
    if (work.additionalLatencyMs <= 0) {
      this.#release(request, now);
      this.#dispatchAll();
      return;
    }
    this.#clock.after(work.additionalLatencyMs, () => {
      this.#release(request, this.#syncTime());
      this.#dispatchAll();
    });
  }

  #arriveQueueless(arrival: Arrival, now: number): QueuedRequest | Refusal {
    if (!this.#fits(seatsOf(arrival.work))) {
      this.tallies.rejected += 1;
      return 'concurrency-limit';
    }
    const request = queuedRequest(arrival, now, this.currentR, undefined);
    this.queueless.add(request);
    this.#begin(request, now);
    return request;
  }

  #fits(seats: number): boolean {
    if (this.#configuration.queues < 0) return true;
    if (seats > this.#seatsLimit) return this.executing === 0;
    return this.seatsInUse + seats <= this.#seatsLimit;
  }

  /** Of the flow's hand, the queue with the least work before it. */
  #chooseQueue({ flowSchema, distinguisher }: Arrival): FlowQueue {
    const hand = this.#dealer!.hand(flowSchema, distinguisher);
    const offset = this.#enqueued % hand.length;
    this.#enqueued += 1;
    let best = this.queues[hand[offset]!]!;
    for (let step = 1; step < hand.length && best.workSum > 0; step += 1) {
      const queue = this.queues[hand[(offset + step) % hand.length]!]!;
      if (queue.workSum < best.workSum) best = queue;
    }
    return best;
  }

  #dispatchAll(): void {
    while (this.waiting > 0 && this.seatsInUse < this.#seatsLimit) {
      const queue = this.#nextQueue();
      const request = queue?.requests[0];
      if (!queue || !request || !this.#fits(request.seats)) return;
      queue.remove(request);
      this.waiting -= 1;
      this.seatsWaiting -= request.seats;
      queue.executing.add(request);
      this.#begin(request, this.#lastMs);
      queue.nextDispatchR += request.totalWork;
      queue.bound();
      request.onDecision?.();
    }
  }

  /** Whose oldest request would be done first, in virtual time; those that tie take turns. */
  #nextQueue(): FlowQueue | undefined {
    const count = this.queues.length;
    let finish = Infinity;
    let next = -1;
    for (let step = 1; step <= count; step += 1) {
      const index = (this.#robin + step) % count;
      const queue = this.queues[index]!;
      const oldest = queue.requests[0];
      if (!oldest) continue;
      if (queue.nextDispatchR + oldest.totalWork < finish) {
        finish = queue.nextDispatchR + oldest.totalWork;
        next = index;
      }
      // Most often it is the only one that waits.
      if (queue.requests.length === this.waiting) break;
    }
    if (next < 0) return undefined;
    this.#robin = next;
    return this.queues[next];
  }

  #begin(request: QueuedRequest, now: number): void {
    request.isExecuting = true;
    request.startMs = now;
    this.executing += 1;
    this.seatsInUse += request.seats;
    if (request.queue) request.queue.seatsInUse += request.seats;
    this.#noteDemand(now);
  }

  #release(request: QueuedRequest, now: number): void {
    this.seatsInUse -= request.seats;
    if (request.queue) request.queue.seatsInUse -= request.seats;
    this.#noteDemand(now);
  }

  #leftQueue(queue: FlowQueue): void {
    if (queue.isActive) return;
    this.#activeQueues -= 1;
    if (this.queues.length > Math.max(0, this.#configuration.queues)) this.#dropEmptyQueues();
  }

  #dropEmptyQueues(): void {
    const wanted = Math.max(0, this.#configuration.queues);
    for (let index = this.queues.length - 1; index >= 0 && this.queues.length > wanted; index -= 1) {
      if (!this.queues[index]!.isActive) this.queues.splice(index, 1);
    }
    if (this.#robin >= this.queues.length) this.#robin = 0;
  }

  #noteDemand(now: number): void {
    this.demand.set(this.seatsInUse + this.seatsWaiting, now);
  }

  #syncTime(): number {
    const now = this.#clock.now();
    const seconds = (now - this.#lastMs) / 1000;
    if (seconds <= 0) return this.#lastMs;
    this.#lastMs = now;
    this.onTimePassed?.(seconds);
    if (this.#activeQueues > 0) {
      const wanted = this.seatsInUse + this.seatsWaiting;
      this.currentR += (Math.min(wanted, this.#seatsLimit) / this.#activeQueues) * seconds;
    }
    return now;
  }
}

function queuedRequest(arrival: Arrival, now: number, arrivalR: number, queue: FlowQueue | undefined): QueuedRequest {
  const { work } = arrival;
  return {
    arrival,
    work,
    seats: seatsOf(work),
    totalWork: work.initialSeats * estimatedServiceSeconds + (work.finalSeats * work.additionalLatencyMs) / 1000,
    arrivalMs: now,
    arrivalR,
    startMs: 0,
    isExecuting: false,
    queue,
    onDecision: undefined,
    place: -1,
  };
}
