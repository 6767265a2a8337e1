import { watch } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseLogLine, renderLogLine, type LogFilter } from './log-line.ts';

export interface LogOptions extends LogFilter {
  readonly follow: boolean;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
}

export interface LogSource {
  readonly path: string;
  /** Resolves to false once the container writes no more. */
  isRunning(): Promise<boolean>;
  /** Calls back when the container may have ended; answers the way to stop. */
  onChange(callback: () => void): () => void;
  readonly signal: AbortSignal;
}

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/** The log as a client wants it, in chunks. While it follows it waits for the file's or the container's next change. */
export async function* readLog(source: LogSource, options: LogOptions): AsyncGenerator<Buffer> {
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let continues = false;
  for await (const lines of logLines(source, options)) {
    const rendered: Buffer[] = [];
    for (const raw of lines) {
      const line = parseLogLine(raw);
      if (!line) continue;
      const text = renderLogLine(line, options, continues);
      continues = line.partial;
      if (text) rendered.push(text);
    }
    const chunk = Buffer.concat(rendered).subarray(0, left);
    left -= chunk.length;
    if (chunk.length > 0) yield chunk;
    if (left <= 0) return;
  }
}

/** Raw lines in batches, across a rotation of the file. */
async function* logLines(source: LogSource, { follow, tailLines }: LogOptions): AsyncGenerator<Buffer[]> {
  let file = await open(source.path, 'r');
  let changes: Changes | undefined;
  try {
    changes = follow ? new Changes(source) : undefined;
    const tail = tailLines === undefined ? undefined : await tailPosition(file, tailLines);
    let position = tail?.from ?? 0;
    // The last two lines are two, also while a third one is written.
    const end = follow ? undefined : tail?.end;
    let rest = Buffer.alloc(0);
    for (;;) {
      changes?.reset();
      // Asked before reading: what a container wrote before it ended is read for certain.
      const running = follow && (await source.isRunning());
      for (;;) {
        const length = Math.min(chunkBytes, (end ?? Number.POSITIVE_INFINITY) - position);
        const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        const [lines, unfinished] = splitLines(Buffer.concat([rest, buffer.subarray(0, bytesRead)]));
        rest = unfinished;
        yield lines;
      }
      const rotated = end === undefined ? await reopened(file, source.path) : undefined;
      if (rotated) {
        await file.close();
        [file, position, rest] = [rotated, 0, Buffer.alloc(0)];
        continue;
      }
      if (!running || source.signal.aborted) break;
      await changes?.wait();
    }
    if (rest.length > 0) yield [rest];
  } finally {
    changes?.stop();
    await file.close();
  }
}

function splitLines(bytes: Buffer): [lines: Buffer[], unfinished: Buffer<ArrayBuffer>] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
    lines.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [lines, Buffer.from(bytes.subarray(from))];
}

/** Where the last `count` lines begin, read from the end, and that end. */
async function tailPosition(file: FileHandle, count: number): Promise<{ from: number; end: number }> {
  let { size: position } = await file.stat();
  const end = position;
  if (count === 0) return { from: end, end };
  let found = 0;
  while (position > 0) {
    const length = Math.min(chunkBytes, position);
    position -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The newline that ends the file ends a line, it begins none.
      if (buffer[at] !== newline || position + at === end - 1) continue;
      if (++found === count) return { from: position + at + 1, end };
    }
  }
  return { from: 0, end };
}

/** The new file behind the path after a rotation; undefined: still the same, or not there yet. */
async function reopened(file: FileHandle, path: string): Promise<FileHandle | undefined> {
  const [old, current] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return current && current.ino !== old.ino ? open(path, 'r') : undefined;
}

/** Waits for whatever comes first: the folder's, the container's change, or the reader's going. */
class Changes {
  #changed = false;
  #wake: (() => void) | undefined;
  readonly #stops: (() => void)[];

  constructor(source: LogSource) {
    const { path, signal } = source;
    const change = () => {
      this.#changed = true;
      this.#wake?.();
    };
    const watcher = watch(dirname(path), change);
    watcher.on('error', change);
    signal.addEventListener('abort', change, { once: true });
    this.#stops = [() => watcher.close(), source.onChange(change), () => signal.removeEventListener('abort', change)];
  }

  reset(): void {
    this.#changed = false;
  }

  async wait(): Promise<void> {
    if (!this.#changed) await new Promise<void>((wake) => (this.#wake = wake));
    this.#wake = undefined;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
