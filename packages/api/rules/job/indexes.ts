interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Indexes as Jobs write them, "1,3-5,7": how many there are, or what is wrong with the text. */
export function indexesOf(text: string, completions: number): { readonly count: number; readonly error?: string } {
  let count = 0;
  let before: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = intervalOf(part, completions);
    if (typeof interval === 'string') return { count: 0, error: interval };
    const { first, last } = interval;
    if (before !== undefined && before >= first)
      return { count: 0, error: `non-increasing order, previous: ${before}, current: ${first}` };
    count += last - first + 1;
    before = last;
  }
  return { count };
}

/** The first index that both texts name, as far as they can be read. */
export function overlapOf(one: string, other: string, completions: number): number | undefined {
  const read = (text: string) =>
    text.split(',').flatMap((part) => {
      const interval = intervalOf(part, completions);
      return typeof interval === 'string' ? [] : [interval];
    });
  const [left, right] = [read(one), read(other)];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a, b] = [left[i] as Interval, right[j] as Interval];
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i += 1;
    else j += 1;
  }
  return undefined;
}

/** `3` or `3-5`, or what is wrong with it. */
function intervalOf(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2) {
    const rule = "an index interval can have at most two parts separated by '-'";
    return `the fragment ${JSON.stringify(text)} violates the requirement that ${rule}`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(Number(limit));
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}
