import type { MetricsRegistry } from './registry.ts';

type Kind = 'mutating' | 'readOnly';

/** How many requests are under way, streams apart: the most within a second, as upstream's gauge has it. */
export class InFlightMetrics {
  readonly #now: () => number;
  readonly #counts = { mutating: 0, readOnly: 0 };
  /** Of the second that goes on, and of the one before. */
  #most = { mutating: 0, readOnly: 0 };
  #mostBefore = { mutating: 0, readOnly: 0 };
  #second = 0;

  constructor(registry: MetricsRegistry, now: () => number) {
    this.#now = now;
    const gauge = registry.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
      stability: 'STABLE',
      labels: ['request_kind'],
    });
    registry.onCollect(() => {
      this.#turn();
      for (const kind of ['mutating', 'readOnly'] as const) gauge.of(kind).set(this.#mostBefore[kind]);
    });
  }

  begin(kind: Kind): void {
    this.#turn();
    const count = (this.#counts[kind] += 1);
    if (count > this.#most[kind]) this.#most[kind] = count;
  }

  end(kind: Kind): void {
    this.#counts[kind] -= 1;
  }

  #turn(): void {
    const second = Math.floor(this.#now() / 1000);
    if (second === this.#second) return;
    // After a pause nothing happened in the second before.
    this.#mostBefore = second === this.#second + 1 ? this.#most : { ...this.#counts };
    this.#most = { ...this.#counts };
    this.#second = second;
  }
}
