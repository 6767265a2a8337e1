import { equals } from '../evaluate/equality.ts';
import { functionTable } from '../function.ts';
import { adapt, type CelValue } from '../values.ts';

type List = readonly CelValue[];

const has = (list: List, value: CelValue): boolean => list.some((element) => equals(adapt(element), adapt(value)));
const contains = (list: List, part: List): boolean => part.every((value) => has(list, value));

/** Lists as sets (cel-go, ext/sets.go). */
export const setsLibrary = functionTable([
  ['sets.contains', 'list_sets_contains_list', '(list(A), list(A)) bool', contains],
  [
    'sets.equivalent',
    'list_sets_equivalent_list',
    '(list(A), list(A)) bool',
    (a: List, b: List) => contains(a, b) && contains(b, a),
  ],
  [
    'sets.intersects',
    'list_sets_intersects_list',
    '(list(A), list(A)) bool',
    (a: List, b: List) => a.some((value) => has(b, value)),
  ],
]);
