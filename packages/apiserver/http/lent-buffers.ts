/** Shorter answers are made in memory of their own. */
const bytesMin = 64 * 1024;
/** All that lie ready. */
const readyBytesMax = 8 * 1024 * 1024;

/** Memory that somebody reads. */
export interface Loan {
  readonly bytes: Buffer;
  /** When it was read to its end. Each loan ends once, one way or the other: what comes after that is nothing. */
  readonly giveBack: () => void;
  /** When its reader has gone, and some connection may still read it: it is not filled with anything else. */
  readonly forsake: () => void;
}

/** What is written there, of a known length. */
export interface Filling {
  readonly length: number;
  fill(into: Buffer): void;
}

const nothing = (): void => {};

interface Shelf {
  readonly memory: Buffer;
  /** What it is filled with: who lends that again need not fill it, even while others read it. */
  readonly filling: WeakRef<Filling>;
  readers: number;
  isForsaken: boolean;
}

/**
 * Memory for long answers, lent from one to the next: fresh pages cost more than filling them, and memory outside of the
 * heap makes V8 collect it. What many ask for is written there once.
 */
export class LentBuffers {
  /** Those that nobody reads, the longest unread first. */
  readonly #ready: Shelf[] = [];
  #readyBytes = 0;
  /** Those that are read. */
  readonly #lent = new Set<Shelf>();

  lend(filling: Filling): Loan {
    const { length } = filling;
    if (length < bytesMin) {
      const bytes = Buffer.allocUnsafe(length);
      filling.fill(bytes);
      return { bytes, giveBack: nothing, forsake: nothing };
    }
    const shelf = this.#holding(filling) ?? this.#filled(filling);
    shelf.readers += 1;
    this.#lent.add(shelf);
    let isOver = false;
    const end = (isForsaken: boolean) => {
      if (isOver) return;
      isOver = true;
      this.#end(shelf, isForsaken);
    };
    return { bytes: shelf.memory.subarray(0, length), giveBack: () => end(false), forsake: () => end(true) };
  }

  #holding(filling: Filling): Shelf | undefined {
    for (const shelf of this.#lent) if (shelf.filling.deref() === filling) return shelf;
    const index = this.#ready.findIndex((shelf) => shelf.filling.deref() === filling);
    return index < 0 ? undefined : this.#takeReady(index);
  }

  #filled(filling: Filling): Shelf {
    const { length } = filling;
    const index = this.#ready.findIndex(({ memory }) => memory.length >= length);
    // A power of two serves answers of about the same length, too.
    const memory =
      index < 0 ? Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length))) : this.#takeReady(index).memory;
    filling.fill(memory.subarray(0, length));
    return { memory, filling: new WeakRef(filling), readers: 0, isForsaken: false };
  }

  #takeReady(index: number): Shelf {
    const [shelf] = this.#ready.splice(index, 1);
    this.#readyBytes -= shelf!.memory.length;
    return shelf!;
  }

  #end(shelf: Shelf, isForsaken: boolean): void {
    shelf.readers -= 1;
    shelf.isForsaken ||= isForsaken;
    if (shelf.readers > 0) return;
    this.#lent.delete(shelf);
    if (shelf.isForsaken || this.#readyBytes + shelf.memory.length > readyBytesMax) return;
    this.#ready.push(shelf);
    this.#readyBytes += shelf.memory.length;
  }
}
