/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export const quotedList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
