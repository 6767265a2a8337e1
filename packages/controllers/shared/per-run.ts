import type { ReconcileContext } from '@kubernode/client';

/**
 * What a controller remembers between reconciliations and may forget when it stops. A declaration is plain data and
 * may run several times in a process: each run, known by its work queue, has its own.
 */
export function perRun<T>(make: () => T): (context: Pick<ReconcileContext, 'queue'>) => T {
  const memories = new WeakMap<object, T>();
  return ({ queue }) => {
    const known = memories.get(queue);
    if (known !== undefined) return known;
    const made = make();
    memories.set(queue, made);
    return made;
  };
}
