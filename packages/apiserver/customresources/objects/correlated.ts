import { deepEqual } from '@kubernode/machinery';
import { isPlain, itemsOf, schemaUnder, type Schema } from '../schema.ts';

/**
 * A value beside the one that was at its place before an update: what did not change is not judged again (KEP-4008,
 * apiserver CorrelatedObject). Places are found by name, and by key in lists that are maps; items of other lists have
 * no value before.
 */
export class Correlated {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  #isEqual: boolean | undefined;
  #byKey: Map<string, unknown> | undefined;
  readonly #below = new Map<string | number, Correlated | undefined>();

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** Items of maps are compared with those of the same key, wherever they are in the list. */
  get isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  at(key: string): Correlated | undefined {
    if (!isPlain(this.old) || !isPlain(this.value)) return undefined;
    if (!Object.hasOwn(this.old, key) || !Object.hasOwn(this.value, key)) return undefined;
    return this.#child(key, this.value[key], this.old[key], schemaUnder(this.#schema, key));
  }

  item(index: number): Correlated | undefined {
    if (!Array.isArray(this.value) || !Array.isArray(this.old)) return undefined;
    const value: unknown = this.value[index];
    const old = this.oldItem(value);
    return old === undefined || old === null ? undefined : this.#child(index, value, old, itemsOf(this.#schema));
  }

  /** The item of the list before that has the key of this one; the first, where there are several. */
  oldItem(item: unknown): unknown {
    const keys = listMapKeys(this.#schema);
    if (!keys || !Array.isArray(this.old)) return undefined;
    if (!this.#byKey) {
      this.#byKey = new Map();
      for (const each of this.old as readonly unknown[]) {
        const key = keyOf(each, keys);
        if (key !== undefined && !this.#byKey.has(key)) this.#byKey.set(key, each);
      }
    }
    const key = keyOf(item, keys);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  #child(at: string | number, value: unknown, old: unknown, schema: Schema | undefined): Correlated | undefined {
    if (!this.#below.has(at)) this.#below.set(at, schema && new Correlated(value, old, schema));
    return this.#below.get(at);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (typeof value !== 'object' || value === null) return value === old;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!listMapKeys(this.#schema)) return deepEqual(value, old);
      return value.every((_, index) => this.item(index)?.isEqual === true);
    }
    if (!isPlain(value) || !isPlain(old)) return false;
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(old).length) return false;
    // What no schema describes is never found again: nothing around it counts as unchanged.
    return keys.every((key) => this.at(key)?.isEqual === true);
  }
}

function listMapKeys(schema: Schema): readonly string[] | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return schema['x-kubernetes-list-type'] === 'map' && keys.length > 0 ? keys : undefined;
}

/** Undefined where a key is missing, or is no scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isPlain(item)) return undefined;
  const values = keys.map((key) => item[key]);
  const isKeyed = values.every((value) => value !== undefined && value !== null && typeof value !== 'object');
  return isKeyed ? JSON.stringify(values) : undefined;
}
