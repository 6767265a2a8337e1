import type { CacheEvent } from './cache-event.ts';
import type { SelectedField } from './selection.ts';
import type { StoredObject } from './stored-object.ts';
import type { Watcher } from './watcher.ts';

type ByKey = Map<string, Set<Watcher>>;

/**
 * The open watches of one resource. Those of one object, of one value of a field (a node's pods) or of one namespace do not
 * cost anything when something else changes: with thousands of nodes, a pod's change concerns one of them.
 */
export class Watchers {
  readonly #everywhere = new Set<Watcher>();
  readonly #byName: ByKey = new Map();
  readonly #byNamespace: ByKey = new Map();
  readonly #byField = new Map<string, { readonly field: SelectedField; readonly byValue: ByKey }>();

  /** Until the watcher ends: one whose reader was too far behind from the start has. */
  add(watcher: Watcher): void {
    if (watcher.ended) return;
    const { name, field, namespace } = watcher.selection;
    if (name) this.#addTo(this.#byName, name, watcher);
    else if (field) this.#addToField(field, watcher);
    else if (namespace) this.#addTo(this.#byNamespace, namespace, watcher);
    else {
      this.#everywhere.add(watcher);
      watcher.onEnd = () => this.#everywhere.delete(watcher);
    }
  }

  /** Everyone. */
  *[Symbol.iterator](): Generator<Watcher> {
    yield* this.#everywhere;
    for (const set of this.#byNamespace.values()) yield* set;
    for (const set of this.#byName.values()) yield* set;
    for (const { byValue } of this.#byField.values()) for (const set of byValue.values()) yield* set;
  }

  /** Tells all whom the change may concern. */
  tell(event: CacheEvent): void {
    for (const watcher of this.#everywhere) watcher.tell(event);
    if (this.#byNamespace.size > 0) tellAll(this.#byNamespace.get(event.object.namespace), event);
    // A name is cut out of its key: for nobody, it need not be.
    if (this.#byName.size > 0) tellAll(this.#byName.get(event.object.name), event);
    for (const { field, byValue } of this.#byField.values()) {
      for (const value of valuesOf(field, event)) tellAll(byValue.get(value), event);
    }
  }

  #addTo(index: ByKey, key: string, watcher: Watcher, onEmpty?: () => void): void {
    const set = index.get(key) ?? new Set<Watcher>();
    index.set(key, set);
    set.add(watcher);
    watcher.onEnd = () => {
      set.delete(watcher);
      if (set.size > 0 || index.get(key) !== set) return;
      index.delete(key);
      onEmpty?.();
    };
  }

  #addToField(field: SelectedField, watcher: Watcher): void {
    const known = this.#byField.get(field.form) ?? { field, byValue: new Map<string, Set<Watcher>>() };
    this.#byField.set(field.form, known);
    this.#addTo(known.byValue, field.value, watcher, () => {
      if (known.byValue.size === 0) this.#byField.delete(field.form);
    });
  }
}

function tellAll(watchers: Iterable<Watcher> | undefined, event: CacheEvent): void {
  if (watchers) for (const watcher of watchers) watcher.tell(event);
}

/** What the field was and is; a deletion concerns those who saw the last object. */
function valuesOf({ read }: SelectedField, { object, previous, deleted }: CacheEvent): readonly string[] {
  const shown: (StoredObject | undefined)[] = deleted ? [previous] : [previous, object];
  return [...new Set(shown.flatMap((each) => (each ? [read(each)] : [])))];
}
