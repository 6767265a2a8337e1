import type { PriorityLevelConfiguration } from '@kubernode/api/flowcontrol/v1';
import type { Clock } from '@kubernode/machinery';
import { DroppedRequests } from './dropped-requests.ts';
import { QueueSet, type QueueConfiguration } from './queue-set.ts';

/** How quickly a demand that was is forgotten. */
const smoothing = 0.977;

/** What a level wanted in the last period, in seats. */
export interface SeatDemand {
  highWatermark: number;
  average: number;
  deviation: number;
  smoothed: number;
  /** What the last adjustment aimed at. */
  target: number;
}

/** One priority level at work: its configuration, its limits in seats, its queues. */
export class PriorityLevel {
  readonly name: string;
  readonly queues: QueueSet;
  readonly dropped = new DroppedRequests();
  readonly demand: SeatDemand = { highWatermark: 0, average: 0, deviation: 0, smoothed: 0, target: 0 };
  configuration: PriorityLevelConfiguration;
  /** Nobody refers to it any more; it stays until its last request is answered. */
  isQuiescing = false;
  nominalSeats = 0;
  lowerSeats = 0;
  upperSeats = 0;
  currentSeats = 0;
  /** What utilization is a part of where the level has no seats of its own. */
  denominator = 1;
  /** What one request may take; undefined where there are no queues. */
  requestSeatsMax: number | undefined;

  constructor(configuration: PriorityLevelConfiguration, clock: Clock) {
    this.name = configuration.metadata.name;
    this.configuration = configuration;
    this.queues = new QueueSet(clock);
  }

  get isExempt(): boolean {
    return this.configuration.spec.type === 'Exempt';
  }

  get shares(): number {
    const { exempt, limited } = this.configuration.spec;
    return (this.isExempt ? exempt?.nominalConcurrencyShares : limited?.nominalConcurrencyShares) ?? 0;
  }

  /** Derives the limits from the level's part of all shares (KEP-1040, "Dispatching"). */
  apportion(serverSeats: number, sharesSum: number): void {
    const { exempt, limited } = this.configuration.spec;
    const lendablePercent = (this.isExempt ? exempt?.lendablePercent : limited?.lendablePercent) ?? 0;
    const borrowingPercent = limited?.borrowingLimitPercent;
    const isNew = this.upperSeats === 0;
    this.denominator = Math.max(1, Math.round(serverSeats / 10));
    this.nominalSeats = sharesSum > 0 ? Math.ceil((serverSeats * this.shares) / sharesSum) : 0;
    const lendable = Math.round((this.nominalSeats * lendablePercent) / 100);
    this.lowerSeats = this.nominalSeats - lendable;
    const borrowable =
      borrowingPercent === undefined ? serverSeats : Math.round((this.nominalSeats * borrowingPercent) / 100);
    this.upperSeats = this.nominalSeats + borrowable;
    if (isNew) this.currentSeats = this.nominalSeats - Math.floor(lendable / 2);
    const queuing = limited?.limitResponse.queuing;
    this.requestSeatsMax = queuing
      ? Math.max(1, Math.min(Math.ceil(this.nominalSeats * 0.15), Math.floor(this.nominalSeats / queuing.handSize!)))
      : undefined;
    this.queues.configure(queueConfiguration(this.configuration));
  }

  /** Takes stock of the period that ends now. */
  observeDemand(nowMs: number): void {
    const { durationSeconds, average, deviation, max } = this.queues.demand.reset(nowMs);
    const { demand } = this;
    demand.highWatermark = max;
    if (durationSeconds <= 0) return;
    demand.average = average;
    demand.deviation = deviation;
    const envelope = average + deviation;
    demand.smoothed = Math.max(envelope, smoothing * demand.smoothed + (1 - smoothing) * envelope);
  }

  setSeats(seats: number): void {
    this.currentSeats = seats;
    this.queues.limit(seats);
  }
}

function queueConfiguration({ spec }: PriorityLevelConfiguration): QueueConfiguration {
  if (spec.type === 'Exempt') return { queues: -1, queueLengthLimit: 0, handSize: 0 };
  const queuing = spec.limited?.limitResponse.queuing;
  if (!queuing) return { queues: 0, queueLengthLimit: 0, handSize: 0 };
  return { queues: queuing.queues!, queueLengthLimit: queuing.queueLengthLimit!, handSize: queuing.handSize! };
}
