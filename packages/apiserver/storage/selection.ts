import type { StoredObject } from './stored-object.ts';

/** Which objects a list, watch or deletecollection is about. */
export interface Selection {
  /** '' for all. */
  readonly namespace: string;
  /** One object, by `metadata.name=` or by the path; '' for all. */
  readonly name: string;
  /** Labels and the remaining fields; undefined where everything matches. */
  readonly matches: ((object: StoredObject) => boolean) | undefined;
}

export function selects(selection: Selection, object: StoredObject): boolean {
  return (
    (selection.namespace === '' || selection.namespace === object.namespace) &&
    (selection.name === '' || selection.name === object.name) &&
    (selection.matches === undefined || selection.matches(object))
  );
}
