import type { KindDefinition } from '../definition.ts';
import type { Kind, KubernetesObject } from '../kind.ts';

export type Hooks<T extends KubernetesObject> = Omit<KindDefinition<T>, 'kind'>;

/** A kind's definition: its name and what the facts cannot say of it. */
export function define<T extends KubernetesObject>(kind: Kind<T>, hooks: Hooks<T> = {}): KindDefinition<T> {
  return { kind, ...hooks };
}

/**
 * One definition a version of a kind, all with the same hooks. The hooks are written for the first version; they may
 * read only what all of them have at the same place.
 */
export function defineVersions<T extends KubernetesObject>(
  kinds: readonly [Kind<T>, ...Kind<unknown>[]],
  hooks: Hooks<T> = {},
): readonly KindDefinition<T>[] {
  return kinds.map((kind) => define(kind as Kind<T>, hooks));
}

/**
 * Definitions of different kinds in one list. Each is only ever called with objects of its own kind, which the list's
 * type cannot say.
 */
export function registry(...definitions: readonly unknown[]): readonly KindDefinition[] {
  return definitions.flat() as readonly KindDefinition[];
}
