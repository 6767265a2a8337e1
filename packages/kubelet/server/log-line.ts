/** One line of a CRI log: `<RFC 3339 with nanoseconds> <stdout|stderr> <F|P>[:tags] <text>`. */
export interface LogLine {
  readonly timestamp: string;
  readonly stream: string;
  /** The line goes on in the next one. */
  readonly partial: boolean;
  readonly text: Buffer;
}

const space = 0x20;

/** Undefined for what is not in the format (a line cut off by a crash, say). */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(space);
  const second = line.indexOf(space, first + 1);
  if (first < 0 || second < 0) return undefined;
  const third = line.indexOf(space, second + 1);
  const tags = line.subarray(second + 1, third < 0 ? line.length : third).toString();
  return {
    // conmon writes UTC as an offset; the API shows it as Go does.
    timestamp: line
      .subarray(0, first)
      .toString()
      .replace(/\+00:00$/, 'Z'),
    stream: line.subarray(first + 1, second).toString(),
    partial: tags.split(':').includes('P'),
    text: third < 0 ? Buffer.alloc(0) : line.subarray(third + 1),
  };
}

export interface LogFilter {
  readonly sinceMs?: number | undefined;
  readonly timestamps: boolean;
  /** Stdout, Stderr or All. */
  readonly stream: string;
}

/** What a reader gets of a line; undefined: nothing. `continues`: the line before was partial. */
export function renderLogLine(line: LogLine, filter: LogFilter, continues: boolean): Buffer | undefined {
  if (filter.stream !== 'All' && filter.stream.toLowerCase() !== line.stream) return undefined;
  if (filter.sinceMs !== undefined && Date.parse(line.timestamp) < filter.sinceMs) return undefined;
  const parts = [line.text];
  if (filter.timestamps && !continues) parts.unshift(Buffer.from(`${line.timestamp} `));
  if (!line.partial) parts.push(Buffer.from('\n'));
  return Buffer.concat(parts);
}
