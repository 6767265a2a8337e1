import type { CriEnum, CriInit } from '@kubernode/api/cri';

export type ContainerEvent = CriInit<'ContainerEventResponse'>;
export type ContainerEventType = CriEnum<'ContainerEventType'>;

/** What a reader that falls behind may leave unread; then its stream ends and it lists anew. */
const unreadMax = 1000;

/** Tells every reader of `GetContainerEvents` what happens from the moment it began to read. */
export class ContainerEvents {
  readonly #readers = new Set<Reader>();

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  emit(event: ContainerEvent): void {
    for (const reader of this.#readers) reader.push(event);
  }

  read(signal?: AbortSignal): AsyncIterable<ContainerEvent> {
    const reader = new Reader(() => this.#readers.delete(reader));
    this.#readers.add(reader);
    signal?.addEventListener('abort', () => reader.end(), { once: true });
    if (signal?.aborted) reader.end();
    return reader;
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
  }
}

class Reader implements AsyncIterable<ContainerEvent>, AsyncIterator<ContainerEvent> {
  readonly #unread: ContainerEvent[] = [];
  readonly #onEnd: () => void;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: ContainerEvent): void {
    this.#unread.push(event);
    if (this.#unread.length > unreadMax) this.end();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<ContainerEvent>> {
    for (;;) {
      const event = this.#unread.shift();
      if (event) return { done: false, value: event };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async return(): Promise<IteratorResult<ContainerEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
