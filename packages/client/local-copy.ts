import { keyFrom, keyOf, type Named } from './keys.ts';

/** The objects of one kind by key, by namespace and by any number of indexes. Holds objects as they are handed in. */
export class LocalCopy<T> {
  readonly #byKey = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, Index<T>>();
  /** `list` is asked more often than objects change, so its answers are kept until they do. */
  readonly #lists = new Map<string | undefined, readonly T[]>();

  get(name: string, namespace?: string): T | undefined {
    return this.#byKey.get(keyFrom(name, namespace));
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  list(namespace?: string): readonly T[] {
    const known = this.#lists.get(namespace);
    if (known) return known;
    const source = namespace === undefined ? this.#byKey : this.#byNamespace.get(namespace);
    const list = source ? [...source.values()] : [];
    this.#lists.set(namespace, list);
    return list;
  }

  byIndex(name: string, key: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index)
      throw new Error(`byIndex: no index "${name}", expected one of [${[...this.#indexes.keys()].join(', ')}]`);
    const found = index.entries.get(key);
    return found ? [...found.values()] : [];
  }

  /** A second index of the same name is the same index: several users of a shared informer may each declare it. */
  addIndex(name: string, keysOf: (object: T) => readonly string[]): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { keysOf, entries: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#byKey) file(index, key, object);
  }

  /** Answers what stood there before. */
  put(object: T): T | undefined {
    const key = keyOf(object as Named);
    const previous = this.#byKey.get(key);
    if (previous !== undefined) this.#unfile(key, previous);
    this.#byKey.set(key, object);
    const namespace = namespaceOf(object);
    entryOf(this.#byNamespace, namespace).set(key, object);
    for (const index of this.#indexes.values()) file(index, key, object);
    this.#forgetLists(namespace);
    return previous;
  }

  /** Answers what stood there. */
  remove(key: string): T | undefined {
    const previous = this.#byKey.get(key);
    if (previous === undefined) return undefined;
    this.#byKey.delete(key);
    this.#unfile(key, previous);
    this.#forgetLists(namespaceOf(previous));
    return previous;
  }

  #forgetLists(namespace: string): void {
    this.#lists.delete(undefined);
    this.#lists.delete(namespace);
  }

  #unfile(key: string, object: T): void {
    removeFrom(this.#byNamespace, namespaceOf(object), key);
    for (const index of this.#indexes.values()) {
      for (const indexKey of index.keysOf(object)) removeFrom(index.entries, indexKey, key);
    }
  }
}

interface Index<T> {
  readonly keysOf: (object: T) => readonly string[];
  readonly entries: Map<string, Map<string, T>>;
}

const namespaceOf = (object: unknown) => (object as Named).metadata.namespace ?? '';

function file<T>(index: Index<T>, key: string, object: T): void {
  for (const indexKey of index.keysOf(object)) entryOf(index.entries, indexKey).set(key, object);
}

function entryOf<T>(entries: Map<string, Map<string, T>>, key: string): Map<string, T> {
  let entry = entries.get(key);
  if (!entry) entries.set(key, (entry = new Map()));
  return entry;
}

function removeFrom<T>(entries: Map<string, Map<string, T>>, entryKey: string, key: string): void {
  const entry = entries.get(entryKey);
  entry?.delete(key);
  if (entry?.size === 0) entries.delete(entryKey);
}
