import { formatTime, TokenBucket, type Clock } from '@kubernode/machinery';
import type { EventPolicy, EventWrite, NewEvent } from './event-recorder.ts';
import { RecentMap } from './recent-map.ts';

const cacheMax = 4_096;
/** So many different messages for one reason within the interval are combined into one event. */
const similarMax = 10;
const similarIntervalMs = 600_000;
/** What one component may say of one object: 25 at once, then one in five minutes. */
const burst = 25;
const perSecond = 1 / 300;

/**
 * Keeps events from flooding the cluster, with the rules and numbers of client-go's EventCorrelator: the same event
 * again is counted on the first one; events that differ only in their message are combined; an object that keeps
 * making events is held back.
 */
export class EventCorrelator implements EventPolicy {
  readonly #clock: Clock;
  readonly #similar = new RecentMap<{ messages: Set<string>; lastMs: number }>(cacheMax);
  readonly #written = new RecentMap<{ readonly name: string; readonly first: string | undefined; count: number }>(
    cacheMax,
  );
  readonly #budgets = new RecentMap<TokenBucket>(cacheMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(event: NewEvent): EventWrite | undefined {
    const [combined, key] = this.#combine(event);
    const write = this.#count(combined, key);
    return this.#budgetOf(event).tryTake() ? write : undefined;
  }

  /** The event to write and the key under which it is counted. */
  #combine(event: NewEvent): readonly [NewEvent, string] {
    const reasonKey = keyOf(event, event.reason, event.reportingComponent, event.reportingInstance);
    const now = this.#clock.now();
    let similar = this.#similar.get(reasonKey);
    if (!similar || now - similar.lastMs > similarIntervalMs) similar = { messages: new Set(), lastMs: now };
    similar.messages.add(event.message ?? '');
    similar.lastMs = now;
    this.#similar.set(reasonKey, similar);
    if (similar.messages.size < similarMax) {
      return [event, keyOf(event, event.involvedObject.fieldPath, event.reason, event.message)];
    }
    for (const message of similar.messages) {
      similar.messages.delete(message);
      break;
    }
    const time = formatTime(now);
    const message = `(combined from similar events): ${event.message ?? ''}`;
    return [{ ...event, message, firstTimestamp: time, lastTimestamp: time }, reasonKey];
  }

  #count(event: NewEvent, key: string): EventWrite {
    const known = this.#written.get(key);
    if (!known) {
      this.#written.set(key, { name: event.metadata.name, first: event.firstTimestamp, count: 1 });
      return { event, patch: undefined };
    }
    known.count++;
    const { name, first, count } = known;
    return {
      event: { ...event, metadata: { ...event.metadata, name }, firstTimestamp: first, count },
      patch: { count, lastTimestamp: event.lastTimestamp, message: event.message },
    };
  }

  #budgetOf(event: NewEvent): TokenBucket {
    const key = keyOf(event);
    let budget = this.#budgets.get(key);
    if (!budget) this.#budgets.set(key, (budget = new TokenBucket({ clock: this.#clock, perSecond, burst })));
    return budget;
  }
}

function keyOf(event: NewEvent, ...more: readonly (string | undefined)[]): string {
  const { source, involvedObject: about, type } = event;
  const common = [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion];
  return [...common, type, ...more].join('\0');
}
