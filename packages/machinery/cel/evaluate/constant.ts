import type { CallExpression, Expression } from '../syntax/ast.ts';
import { CelMap, type CelValue } from '../values.ts';

/** The value of a literal, or of a list or map of constants: upstream folds them, so that they cost nothing. */
export function constantValue(expression: Expression): CelValue | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'list') {
    const values = expression.elements.map(({ value, optional }) => (optional ? undefined : constantValue(value)));
    return values.includes(undefined) ? undefined : (values as CelValue[]);
  }
  if (expression.kind !== 'map') return undefined;
  const map = new CelMap();
  for (const { key, value, optional } of expression.entries) {
    const [at, held] = [constantValue(key), constantValue(value)];
    // A key that is there twice is an error of evaluation, not of compiling.
    if (optional || at === undefined || held === undefined || !isNewKey(map, at)) return undefined;
    map.insert(at, held);
  }
  return map;
}

const isNewKey = (map: CelMap, key: CelValue): boolean =>
  (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean') && !map.has(key);

const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'uint']);

/** Whether upstream's optimizer makes a call free: conversions of constants, and `in` a list of constant scalars. */
export function isFreeCall(call: CallExpression, overload: string): boolean {
  const [first, second] = call.arguments;
  if (overload !== 'in_list') return conversions.has(call.function) && first?.kind === 'literal';
  return (
    second?.kind === 'list' && second.elements.every(({ value }) => value.kind === 'literal' && isScalar(value.value))
  );
}

const isScalar = (value: CelValue): boolean => value !== null && !(value instanceof Uint8Array);
