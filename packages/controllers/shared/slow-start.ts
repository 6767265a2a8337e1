/**
 * Runs `count` actions in batches of 1, 2, 4, …, so that a quota or a webhook that refuses all is asked once, not a
 * thousand times. Stops after a batch with a failure. Answers how many succeeded, and the first failure.
 */
export async function slowStart(
  count: number,
  action: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error: unknown }> {
  let started = 0;
  let succeeded = 0;
  for (let batch = 1; started < count; batch *= 2) {
    const size = Math.min(batch, count - started);
    const first = started;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => action(first + index)));
    started += size;
    const failures = results.filter((result) => result.status === 'rejected');
    succeeded += size - failures.length;
    if (failures[0]) return { succeeded, error: failures[0].reason };
  }
  return { succeeded, error: undefined };
}
