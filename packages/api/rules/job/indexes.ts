/** Indexes as Jobs write them, "1,3-5,7": how many there are, or what is wrong with the text. */
export function indexesOf(text: string, completions: number): { readonly count: number; readonly error?: string } {
  if (text === '') return { count: 0 };
  let count = 0;
  let last = -1;
  for (const interval of text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2)
      return fail(
        `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      );
    const [first, end = first] = limits.map(Number);
    if (first === undefined || end === undefined || limits.some((limit) => !/^\d+$/.test(limit))) {
      return fail(`cannot convert string to integer for index: ${JSON.stringify(interval)}`);
    }
    if (first <= last) return fail(`non-increasing order, previous: ${last}, current: ${first}`);
    if (limits.length === 2 && end < first) return fail(`non-increasing order, previous: ${first}, current: ${end}`);
    if (end >= completions) return fail(`too large index: ${JSON.stringify(String(end))}`);
    count += end - first + 1;
    last = end;
  }
  return { count };
}

const fail = (error: string) => ({ count: 0, error });
