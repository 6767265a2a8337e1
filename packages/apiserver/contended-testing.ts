import { boundStore, memoryStore, type Entry, type Store } from '@kubernode/store';

/** What somebody else does to an object. */
type Interference = (store: Store, key: string, there: Entry | undefined) => Promise<unknown>;

export interface ContendedStore extends Store {
  /** Right before each of the next writes of keys that end so, somebody else is faster; the last one of them first. */
  readonly interferences: Interference[];
}

/** A store in memory in which others change what ends with `keyEnd`, in the worst moment. */
export function contendedStore(keyEnd: string): ContendedStore {
  const memory = memoryStore();
  const interferences: Interference[] = [];
  return {
    ...boundStore(memory),
    interferences,
    async write(changes) {
      const key = changes[0]!.key;
      if (key.endsWith(keyEnd)) await interferences.pop()?.(memory, key, await memory.get(key));
      return memory.write(changes);
    },
  };
}

/** Writes the object anew as it is. */
export const touch: Interference = (store, key, there) => store.write([{ key, value: there!.value, expect: 'any' }]);
