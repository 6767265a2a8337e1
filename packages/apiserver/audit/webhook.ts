import { Backoff, sleep, type Clock, type Random } from '@kubernode/machinery';
import type { Destination } from '../outbound/destination.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { AuditSink, WrittenEvent } from './sink.ts';

const attemptsMax = 5;
const backoffFactor = 1.5;
const backoffJitter = 0.2;
const timeoutMs = 30_000;

interface WebhookParts {
  readonly outbound: Outbound;
  readonly destination: Destination;
  readonly clock: Clock;
  readonly random: Random;
  /** Before the first repetition; each after it waits half as long again. */
  readonly initialBackoffMs: number;
}

/** POSTs an EventList, and again while it fails. */
export class WebhookSink implements AuditSink {
  readonly name = 'webhook';
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** Rejects with the last failure. */
  async process(events: readonly WrittenEvent[]): Promise<boolean> {
    const items = events.map(({ text }) => text).join(',');
    const body = Buffer.from(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}\n`);
    const { clock, random, initialBackoffMs } = this.#parts;
    const backoff = new Backoff({
      initialMs: initialBackoffMs,
      maxMs: Infinity,
      factor: backoffFactor,
      jitter: backoffJitter,
      random,
    });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#post(body);
        return true;
      } catch (error) {
        if (attempt >= attemptsMax) throw error;
      }
      await sleep(clock, backoff.next());
    }
  }

  async close(): Promise<void> {}

  async #post(body: Buffer): Promise<void> {
    const { status } = await this.#parts.outbound.post(this.#parts.destination, body, { timeoutMs });
    if (status >= 300) throw new Error(`the audit webhook answered with code ${status}`);
  }
}
