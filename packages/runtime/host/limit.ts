export type Limit = <Value>(task: () => Promise<Value>) => Promise<Value>;

/** Lets at most `max` tasks run at a time; the others wait in the order they came. */
export function createLimit(max: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Runs the tasks of one key one after the other; different keys do not wait for each other. */
export function createKeyedQueue(): <Value>(key: string, task: () => Promise<Value>) => Promise<Value> {
  const tails = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(task, task);
    const tail = result
      .catch(() => {})
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return result;
  };
}
