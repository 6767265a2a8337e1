import type { StoredObject } from './stored-object.ts';

/** A field, beyond name and namespace, that must have a value. */
export interface SelectedField {
  /** The same for all selections by this field. */
  readonly form: string;
  readonly value: string;
  readonly read: (object: StoredObject) => string;
}

/** Which objects a list, watch or deletecollection is about. */
export interface Selection {
  /** '' for all. */
  readonly namespace: string;
  /** One object, by `metadata.name=` or by the path; '' for all. */
  readonly name: string;
  /** One of the fields that `matches` looks at. */
  readonly field?: SelectedField | undefined;
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
