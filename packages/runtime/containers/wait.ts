import type { Clock } from '@kubernode/machinery';

/** Resolves true when a waiter of `id` is woken, false when the time is over. */
export function waitForExit(
  clock: Clock,
  waiters: Map<string, Set<() => void>>,
  id: string,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const own = waiters.get(id) ?? new Set();
    waiters.set(id, own);
    const finish = (ended: boolean) => {
      cancel();
      own.delete(wake);
      if (own.size === 0) waiters.delete(id);
      resolve(ended);
    };
    const wake = () => finish(true);
    const cancel = clock.after(timeoutMs, () => finish(false));
    own.add(wake);
  });
}
