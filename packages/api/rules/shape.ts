import type { ObjectShape } from '@kubernode/machinery';
import type { FieldCause } from '../status-error.ts';
import { featureGates, type IsEnabled } from './gate-specs.ts';
import { checkOf } from './markers/compile.ts';

const asReleased = featureGates();

/**
 * What the facts themselves say is wrong: the markers of declarative validation (`+k8s:required`, `+k8s:maximum=…`), at
 * every depth. `old` is the object before an update: what did not change is not judged again. Nothing of this is to be
 * written again in the rules of kinds.
 */
export function validateShape(
  object: unknown,
  shape: ObjectShape,
  old?: unknown,
  isEnabled: IsEnabled = asReleased,
): readonly FieldCause[] {
  const isUpdate = old !== undefined;
  return checkOf(shape)?.({ value: object, old, path: '', isCorrelated: isUpdate }, { isUpdate, isEnabled }) ?? [];
}

/** What the rules of a kind found, without what the facts said already: each time the same reason at the same field. */
export function notSaidYet(own: readonly FieldCause[], declared: readonly FieldCause[]): readonly FieldCause[] {
  if (own.length === 0 || declared.length === 0) return own;
  const said = new Map<string, number>();
  for (const { reason, field } of declared) {
    const text = `${reason} ${field}`;
    said.set(text, (said.get(text) ?? 0) + 1);
  }
  return own.filter(({ reason, field }) => {
    const text = `${reason} ${field}`;
    const left = said.get(text) ?? 0;
    said.set(text, left - 1);
    return left <= 0;
  });
}
