import { eventJson, eventLine, type AuditEvent } from './event.ts';

/** An event at one of its stages, as text: later stages do not change it. */
export interface WrittenEvent {
  /** One JSON object, without a newline. */
  readonly text: string;
  readonly event: Pick<AuditEvent, 'auditID' | 'stage'>;
}

/** Where events go. */
export interface AuditSink {
  readonly name: string;
  /** False where they could not be kept. */
  process(events: readonly WrittenEvent[]): boolean | Promise<boolean>;
  /** Hands over what is still there. */
  close(): Promise<void>;
}

export type EventFormat = 'json' | 'legacy' | 'list-item';

export interface TruncateOptions {
  readonly eventBytesMax: number;
  readonly batchBytesMax: number;
}

/** An event's text; one too large goes without its objects. undefined where it is too large even so. */
export function writeEvent(
  event: AuditEvent,
  format: EventFormat,
  truncate: TruncateOptions | undefined,
): WrittenEvent | undefined {
  const write = (each: AuditEvent) =>
    format === 'legacy' ? eventLine(each) : eventJson(each, { typed: format === 'json' });
  let text = write(event);
  const { auditID, stage } = event;
  if (truncate && Buffer.byteLength(text) > truncate.eventBytesMax) {
    if (event.level === 'None' || event.level === 'Metadata') return undefined;
    const annotations = { ...event.annotations, 'audit.k8s.io/truncated': 'true' };
    text = write({ ...event, requestObject: undefined, responseObject: undefined, annotations });
    if (Buffer.byteLength(text) > truncate.eventBytesMax) return undefined;
  }
  return { text, event: { auditID, stage } };
}

/** Batches that are not larger than they may be. */
export function* splitBatch(
  events: readonly WrittenEvent[],
  batchBytesMax: number | undefined,
): Generator<readonly WrittenEvent[]> {
  if (batchBytesMax === undefined) {
    yield events;
    return;
  }
  let batch: WrittenEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.text);
    if (batch.length > 0 && bytes + size > batchBytesMax) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
