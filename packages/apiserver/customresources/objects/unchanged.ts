import { Correlated } from './correlated.ts';
import type { Schema } from '../schema.ts';

/**
 * Whether a rule that is broken is forgiven, for neither its value changed nor, where that has no value before, the
 * closest thing around it that has (apiextensions, ratchetingOptions).
 */
export interface Unchanged {
  readonly isUnchanged: boolean;
  readonly field: (key: string) => Unchanged;
  readonly item: (index: number) => Unchanged;
  /** The item of a list before the update that an item stands for. */
  readonly oldItemOf: (old: unknown, schema: Schema) => (item: unknown) => unknown;
}

export function unchanged(root: Correlated | undefined): Unchanged {
  return root ? at(root, undefined) : never;
}

const oldItemOf = (old: unknown, schema: Schema) => {
  const list = new Correlated(undefined, old, schema);
  return (item: unknown) => list.oldItem(item);
};

const never: Unchanged = { isUnchanged: false, field: () => never, item: () => never, oldItemOf };

function at(current: Correlated, around: Correlated | undefined): Unchanged {
  return {
    get isUnchanged() {
      return current.isEqual;
    },
    // Both are of the same version here, whatever the client sent.
    field: (key) => (!around && (key === 'apiVersion' || key === 'kind') ? never : below(current.at(key), current)),
    item: (index) => below(current.item(index), current),
    oldItemOf,
  };
}

function below(found: Correlated | undefined, around: Correlated): Unchanged {
  if (found) return at(found, around);
  const rest: Unchanged = {
    get isUnchanged() {
      return around.isEqual;
    },
    field: () => rest,
    item: () => rest,
    oldItemOf,
  };
  return rest;
}
