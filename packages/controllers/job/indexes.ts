/** A set of completion indexes, as written in a Job's status: `1,3-5`. */
export class Indexes {
  readonly #ranges: readonly (readonly [first: number, last: number])[];

  private constructor(ranges: readonly (readonly [number, number])[]) {
    this.#ranges = ranges;
  }

  /** Indexes of `completions` and more do not count; what cannot be read is left out. */
  static parse(text: string | undefined, completions = Infinity): Indexes {
    const ranges = (text ?? '')
      .split(',')
      .map((part) => /^(\d+)(?:-(\d+))?$/.exec(part))
      .filter((match) => match !== null)
      .map((match) => [Number(match[1]), Math.min(Number(match[2] ?? match[1]), completions - 1)] as const)
      .filter(([first, last]) => first <= last);
    return new Indexes(ranges);
  }

  static of(numbers: Iterable<number>): Indexes {
    const ranges: [number, number][] = [];
    for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
      const last = ranges.at(-1);
      if (last && last[1] + 1 === number) last[1] = number;
      else ranges.push([number, number]);
    }
    return new Indexes(ranges);
  }

  has(index: number): boolean {
    let [low, high] = [0, this.#ranges.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [first, last] = this.#ranges[middle] ?? [0, 0];
      if (index < first) high = middle - 1;
      else if (index > last) low = middle + 1;
      else return true;
    }
    return false;
  }

  get size(): number {
    return this.#ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  *[Symbol.iterator](): Iterator<number> {
    for (const [first, last] of this.#ranges) for (let index = first; index <= last; index++) yield index;
  }

  with(numbers: Iterable<number>): Indexes {
    const added = [...numbers].filter((number) => !this.has(number));
    return added.length === 0 ? this : Indexes.of([...this, ...added]);
  }

  /** Two in a row are written apart: `1,2`; three and more as a range: `1-3`. */
  toString(): string {
    return this.#ranges
      .map(([first, last]) =>
        first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
      )
      .join(',');
  }
}
