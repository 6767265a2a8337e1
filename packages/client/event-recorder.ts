import { isReason, StatusError, type KubernetesObject } from '@kubernode/api';
import { Event, type ObjectReference } from '@kubernode/api/core/v1';
import { dns1123Subdomain, formatMicroTime, formatTime, sleep, type Clock, type Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventSeries } from './event-series.ts';

/** Tells users what happened to an object. Never blocks, never fails: what cannot be written is dropped. */
export interface EventRecorder {
  event(object: Referable, type: EventType, reason: string, message: string, extras?: EventExtras): void;
  /** Resolves when all events so far are written or given up. */
  flush(): Promise<void>;
  /** Writes no more; resolves when nothing is under way. */
  stop(): Promise<void>;
}

export type EventType = 'Normal' | 'Warning';
/** An object with its `kind`, or a reference to one. */
export type Referable = KubernetesObject | ObjectReference;

export interface EventExtras {
  /** What part of the object: `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** What was done or tried; needed by the `series` style: `Binding`. */
  readonly action?: string;
  /** A second object. */
  readonly related?: Referable;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface EventRecorderOptions {
  readonly client: Client;
  /** Who reports: `deployment-controller`. */
  readonly component: string;
  /** The node, for a reporter that runs on one. */
  readonly host?: string;
  /** `counted`: as core/v1 always was; `series`: as events.k8s.io/v1 (KEP-383), which the scheduler uses. */
  readonly style?: 'counted' | 'series';
  readonly clock: Clock;
  readonly log: Logger;
  /** Spreads the first retry. */
  readonly random?: () => number;
}

/** An event before the server completes its metadata. */
export type NewEvent = Omit<Event, 'metadata'> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Record<string, string>;
  };
};

/** An event to create or, where it was written before, the patch that counts it once more. */
export interface EventWrite {
  readonly event: NewEvent;
  readonly patch: unknown;
}

/** Turns an occurrence into a write; undefined where it is held back. */
export interface EventPolicy {
  observe(event: NewEvent): EventWrite | undefined;
}

const queueMax = 1_000;
const triesMax = 12;
const retryDelayMs = 10_000;
/** events.k8s.io refuses longer notes. */
const seriesNoteMax = 1_024;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedRecorder(options);
}

class QueuedRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #policy: EventPolicy;
  readonly #queue: NewEvent[] = [];
  readonly #abort = new AbortController();
  #writing: Promise<void> | undefined;
  #lastNanos = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#policy = options.style === 'series' ? new EventSeries(options.clock) : new EventCorrelator(options.clock);
  }

  event(object: Referable, type: EventType, reason: string, message: string, extras: EventExtras = {}): void {
    if (this.#abort.signal.aborted) return;
    if (this.#queue.length >= queueMax) {
      this.#options.log.warn('Too many events wait to be written, dropping one', { reason, message });
      return;
    }
    this.#queue.push(this.#make(referenceTo(object), type, reason, message, extras));
    this.#writing ??= this.#drain();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#queue.length = 0;
    await this.#writing;
  }

  #make(about: ObjectReference, type: EventType, reason: string, message: string, extras: EventExtras): NewEvent {
    const { component, host, style, clock } = this.#options;
    const { fieldPath, action, related, annotations } = extras;
    const now = clock.now();
    const common = {
      metadata: {
        name: this.#name(about.name ?? ''),
        namespace: about.namespace || 'default',
        ...(annotations && { annotations: { ...annotations } }),
      },
      involvedObject: fieldPath ? { ...about, fieldPath } : about,
      reason,
      type,
      reportingComponent: component,
      ...(action && { action }),
      ...(related && { related: referenceTo(related) }),
    };
    if (style === 'series') {
      const note = message.length > seriesNoteMax ? `${message.slice(0, seriesNoteMax - 4)} ...` : message;
      const eventTime = formatMicroTime(now);
      return {
        ...common,
        message: note,
        source: {},
        eventTime,
        reportingInstance: `${component}-${host ?? component}`,
      };
    }
    const time = formatTime(now);
    return {
      ...common,
      message,
      source: host ? { component, host } : { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      reportingInstance: host ?? '',
    };
  }

  /** `<object>.<time in nanoseconds, hexadecimal>`, each time different. */
  #name(objectName: string): string {
    const nanos = BigInt(Math.floor(this.#options.clock.now())) * 1_000_000n;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    const name = `${objectName}.${this.#lastNanos.toString(16)}`;
    return dns1123Subdomain(name).length === 0 ? name : crypto.randomUUID();
  }

  async #drain(): Promise<void> {
    // Where nothing is to be written this would end before `#writing` is set, and never begin again.
    await Promise.resolve();
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      const write = this.#policy.observe(event);
      if (write) await this.#deliver(write);
    }
    this.#writing = undefined;
  }

  async #deliver(write: EventWrite): Promise<void> {
    const { log, clock, random = () => 1 } = this.#options;
    for (let tries = 1; !this.#abort.signal.aborted; tries++) {
      try {
        return await this.#write(write);
      } catch (error) {
        const { reason, message } = write.event;
        // A StatusError is the server's last word; anything else means that it was not reached.
        if (error instanceof StatusError || tries >= triesMax) {
          const expected = isReason(error, 'AlreadyExists') || isTerminating(error);
          log[expected ? 'debug' : 'warn']('Event not written', { reason, message, error });
          return;
        }
        const delayMs = tries === 1 ? retryDelayMs * random() : retryDelayMs;
        await sleep(clock, delayMs, this.#abort.signal).catch(() => {});
      }
    }
  }

  async #write({ event, patch }: EventWrite): Promise<void> {
    const { client } = this.#options;
    const { name, namespace } = event.metadata;
    if (patch) {
      try {
        await client.patch(Event, { name, namespace }, { type: 'strategic', body: patch });
        return;
      } catch (error) {
        // Events expire: then this is the first one again.
        if (!isReason(error, 'NotFound')) throw error;
      }
    }
    await client.create(Event, event);
  }
}

function isTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
}

/** As `involvedObject` and `ownerReferences` need it: of an object that says its kind, or the reference itself. */
export function referenceTo(object: Referable): ObjectReference {
  if (!('metadata' in object)) return object;
  const { apiVersion, kind, metadata } = object;
  return {
    ...(kind && { kind }),
    ...(metadata.namespace && { namespace: metadata.namespace }),
    ...(metadata.name && { name: metadata.name }),
    ...(metadata.uid && { uid: metadata.uid }),
    ...(apiVersion && { apiVersion }),
    ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }),
  };
}
