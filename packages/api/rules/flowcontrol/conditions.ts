import type { FieldCause } from '../../status-error.ts';
import { duplicate, required } from '../cause.ts';

/** Conditions of flow control have a type of their own, and that is all. */
export function typedConditions(list: readonly { readonly type?: string | undefined }[] = []): readonly FieldCause[] {
  const seen = new Set<string>();
  return list.flatMap(({ type = '' }, index) => {
    const at = `status.conditions[${index}].type`;
    const found = seen.has(type) ? [duplicate(at, type)] : [];
    seen.add(type);
    return type ? found : [...found, required(at)];
  });
}
