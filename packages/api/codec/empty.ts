import { absentList, type ObjectShape } from '@kubernode/machinery';
import { createPlans, descend } from './plan.ts';

/**
 * Puts `[]` and `{}` where Go's JSON has null for an empty list or map that is always there (`rules: null`), in place: so
 * that objects which were printed and parsed again are what their TypeScript types say. Much cheaper than decoding.
 */
export function restoreEmpty(object: unknown, shape: ObjectShape): void {
  planOf(shape)?.(object);
}

const planOf = createPlans((field, inner) => {
  const { name, shape, pointer, omitempty } = field;
  const isAlwaysThere = !pointer && !omitempty;
  if (!isAlwaysThere || (shape.type !== 'list' && shape.type !== 'map')) return inner && descend(field, inner);
  return (object) => {
    object[name] ??= shape.type === 'list' ? absentList() : {};
    inner?.(object[name]);
  };
});
