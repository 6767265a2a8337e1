import type { FieldCause } from '../status-error.ts';
import { forbidden } from './cause.ts';
import { all, type Rule } from './rule.ts';
import { sameValue } from './values.ts';

/** What a ConfigMap or a Secret can hold. */
export const dataBytesMax = 1024 * 1024;

/** What says of itself that it is immutable stays so, and its data too. */
export function frozen<T extends { readonly immutable?: boolean | undefined }>(
  ...names: readonly (keyof T & string)[]
): Rule<T> {
  return all<T>((object, path, old): readonly FieldCause[] => {
    if (!old?.immutable) return [];
    const at = (name: string) => (path ? `${path}.${name}` : name);
    const detail = 'field is immutable when `immutable` is set';
    const found = object.immutable ? [] : [forbidden(at('immutable'), detail)];
    return [
      ...found,
      ...names.filter((name) => !sameValue(object[name], old[name])).map((name) => forbidden(at(name), detail)),
    ];
  });
}
