import { formatMicroTime, type Clock } from '@kubernode/machinery';
import type { EventPolicy, EventWrite, NewEvent } from './event-recorder.ts';
import { RecentMap } from './recent-map.ts';

const cacheMax = 4_096;
/** A series that has been quiet for so long is over: the next occurrence is a new event. */
const quietMs = 6 * 60_000;
/** A running series is written no more often than this; client-go refreshes its series as rarely. */
const refreshMs = 30 * 60_000;

interface Series {
  readonly event: NewEvent;
  count: number;
  lastMs: number;
  writtenMs: number;
}

/**
 * The rules of events.k8s.io (KEP-383): the second of the same events makes the first one a series; later ones are
 * counted here and written now and then.
 */
export class EventSeries implements EventPolicy {
  readonly #clock: Clock;
  readonly #series = new RecentMap<Series>(cacheMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(event: NewEvent): EventWrite | undefined {
    const key = keyOf(event);
    const now = this.#clock.now();
    const series = this.#series.get(key);
    if (!series || now - series.lastMs > quietMs) {
      this.#series.set(key, { event, count: 1, lastMs: now, writtenMs: now });
      return { event, patch: undefined };
    }
    series.count++;
    series.lastMs = now;
    if (series.count > 2 && now - series.writtenMs < refreshMs) return undefined;
    series.writtenMs = now;
    const observed = { count: series.count, lastObservedTime: formatMicroTime(now) };
    return { event: { ...series.event, series: observed }, patch: { series: observed } };
  }
}

/** The references count whole, resourceVersion included: as upstream, a changed object begins a new series. */
function keyOf({ type, action, reason, reportingComponent, reportingInstance, involvedObject, related }: NewEvent) {
  return JSON.stringify([type, action, reason, reportingComponent, reportingInstance, involvedObject, related]);
}
