/** Several messages as Go's errors.Aggregate prints them: one as it is, several in brackets, each once. */
export function aggregateMessages(messages: Iterable<string>): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}
