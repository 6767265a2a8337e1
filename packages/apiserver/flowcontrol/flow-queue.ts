import { IntrusiveSet, type Placed } from '@kubernode/machinery';
import type { Arrival } from './queue-set.ts';
import type { Work } from './work.ts';

/** A request on its way through a priority level. */
export interface QueuedRequest extends Placed {
  readonly arrival: Arrival;
  readonly work: Work;
  /** The most that it ever takes. */
  readonly seats: number;
  /** Seat seconds. */
  readonly totalWork: number;
  readonly arrivalMs: number;
  readonly arrivalR: number;
  startMs: number;
  isExecuting: boolean;
  /** undefined where the level has no queues. */
  readonly queue: FlowQueue | undefined;
  /** Called when it gets its seats after a wait. */
  onDecision: (() => void) | undefined;
}

/** One queue of a priority level, first in, first out. */
export class FlowQueue {
  readonly requests: QueuedRequest[] = [];
  readonly executing = new IntrusiveSet<QueuedRequest>();
  /** Virtual time at which its next request may start. */
  nextDispatchR = 0;
  seatsInUse = 0;
  /** Seat seconds that wait. */
  workSum = 0;

  get isActive(): boolean {
    return this.requests.length > 0 || this.executing.size > 0;
  }

  push(request: QueuedRequest): void {
    this.requests.push(request);
    this.workSum += request.totalWork;
  }

  /** False where it is not there. */
  remove(request: QueuedRequest): boolean {
    const index = this.requests[0] === request ? 0 : this.requests.indexOf(request);
    if (index < 0) return false;
    if (index === 0) this.requests.shift();
    else this.requests.splice(index, 1);
    this.workSum = this.requests.length === 0 ? 0 : this.workSum - request.totalWork;
    return true;
  }

  /** What a queue did not use it cannot save up: nothing starts, in virtual time, before it arrived. */
  bound(): void {
    const oldest = this.requests[0];
    if (oldest && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR;
  }
}
