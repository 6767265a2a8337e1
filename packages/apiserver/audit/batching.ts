import { sleep, TokenBucket, type Clock } from '@kubernode/machinery';
import { splitBatch, type AuditSink, type WrittenEvent } from './sink.ts';

export interface BatchOptions {
  /** Events beyond are lost, and counted. */
  readonly bufferSize: number;
  readonly batchSizeMax: number;
  readonly batchWaitMsMax: number;
  readonly throttleEnable: boolean;
  /** Batches a second. */
  readonly throttleQps: number;
  readonly throttleBurst: number;
}

/** Takes events at once, and hands them on in batches; never makes a request wait. */
export class Batching implements AuditSink {
  readonly name = 'buffered';
  readonly #sink: AuditSink;
  readonly #options: BatchOptions;
  readonly #clock: Clock;
  readonly #batchBytesMax: number | undefined;
  readonly #lost: (count: number, why: string) => void;
  #buffer: WrittenEvent[] = [];
  #cancelWait: (() => void) | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isSending = false;
  readonly #throttle: TokenBucket | undefined;

  constructor(
    sink: AuditSink,
    options: BatchOptions,
    parts: { clock: Clock; batchBytesMax: number | undefined; lost: (count: number, why: string) => void },
  ) {
    this.#sink = sink;
    this.#options = options;
    this.#clock = parts.clock;
    this.#batchBytesMax = parts.batchBytesMax;
    this.#lost = parts.lost;
    const { throttleEnable, throttleQps: perSecond, throttleBurst: burst } = options;
    this.#throttle = throttleEnable ? new TokenBucket({ clock: parts.clock, perSecond, burst }) : undefined;
  }

  process(events: readonly WrittenEvent[]): boolean {
    const room = this.#options.bufferSize - this.#buffer.length;
    if (events.length > room) this.#lost(events.length - Math.max(0, room), 'audit buffer queue blocked');
    this.#buffer.push(...events.slice(0, Math.max(0, room)));
    if (this.#buffer.length >= this.#options.batchSizeMax) this.#send();
    else this.#cancelWait ??= this.#clock.after(this.#options.batchWaitMsMax, () => this.#send());
    return true;
  }

  async close(): Promise<void> {
    this.#cancelWait?.();
    await this.#underWay;
    if (this.#buffer.length > 0) await this.#handOver(this.#buffer.splice(0));
    await this.#sink.close();
  }

  #send(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    if (this.#isSending) return;
    this.#isSending = true;
    this.#underWay = this.#sendAll().finally(() => {
      this.#isSending = false;
      if (this.#buffer.length >= this.#options.batchSizeMax) this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    do {
      await this.#throttled();
      await this.#handOver(this.#buffer.splice(0, this.#options.batchSizeMax));
    } while (this.#buffer.length >= this.#options.batchSizeMax);
    if (this.#buffer.length > 0) {
      this.#cancelWait ??= this.#clock.after(this.#options.batchWaitMsMax, () => this.#send());
    }
  }

  async #handOver(events: readonly WrittenEvent[]): Promise<void> {
    for (const batch of splitBatch(events, this.#batchBytesMax)) {
      try {
        await this.#sink.process(batch);
      } catch (error) {
        this.#lost(batch.length, String(error));
      }
    }
  }

  /** A token for each batch. */
  async #throttled(): Promise<void> {
    const waitMs = this.#throttle?.reserve() ?? 0;
    if (waitMs > 0) await sleep(this.#clock, waitMs);
  }
}
