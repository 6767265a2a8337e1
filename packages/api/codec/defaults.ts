import { deepClone, quantityOfMilli, quantityScaled } from '@kubernode/machinery';
import type { ObjectShape } from '@kubernode/machinery';
import { createPlans, descend } from './plan.ts';

/**
 * Fills in the defaults that the facts declare (`+default=` in the Go types), in place, at every depth. A zero value that
 * is not a pointer counts as absent. What takes more than a declaration is the kind's own `defaults`, called after it.
 */
export function applyDefaults(object: unknown, shape: ObjectShape): void {
  planOf(shape)?.(object);
  // Upstream's lists of resources have a default of their own: a thousandth is the least.
  if (!shape.name.startsWith('resource.k8s.io/')) wholeThousandths(shape)?.(object);
}

const wholeThousandths = createPlans(({ name, shape }, inner) => {
  if (shape.type !== 'map' || shape.values.type !== 'quantity') return inner && descend({ name }, inner);
  return (object) => {
    const amounts = (object[name] ?? {}) as Record<string, string>;
    for (const [resource, amount] of Object.entries(amounts)) {
      // What is finer than a thousandth is written with one of these.
      if (/[nu]$/.test(amount)) amounts[resource] = quantityOfMilli(quantityScaled(amount, -3));
    }
  };
});

const planOf = createPlans((field, inner) => {
  const { name, default: declared, pointer } = field;
  const isZero = (value: unknown) => !pointer && (value === '' || value === 0 || value === false);
  if (declared === undefined || (isZero(declared) && !inner)) return inner && descend(field, inner);
  return (object) => {
    const value = object[name];
    if (value === undefined || value === null || isZero(value)) object[name] = deepClone(declared);
    inner?.(object[name]);
  };
});
