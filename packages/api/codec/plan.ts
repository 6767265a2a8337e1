import type { Field, ObjectShape, Shape } from '@kubernode/machinery';

export type Target = Record<string, unknown>;
export type Apply = (value: unknown) => void;
/** What is to be done with one field of an object; undefined: nothing, here and below. `inner`: with what is below. */
export type FieldStep = (field: Field, inner: Apply | undefined) => ((object: Target) => void) | undefined;

/**
 * Makes changes of objects in place that only visit what they can change: of most kinds that is a small part. Plans are
 * made once a shape.
 */
export function createPlans(stepOf: FieldStep): (shape: Shape) => Apply | undefined {
  const plans = new WeakMap<Shape, { readonly apply: Apply | undefined }>();

  const planOf = (shape: Shape): Apply | undefined => {
    if (shape.type === 'list') return each(planOf(shape.items), (value) => value as readonly unknown[]);
    if (shape.type === 'map') return each(planOf(shape.values), (value) => Object.values(value as object));
    if (shape.type !== 'object') return undefined;
    const known = plans.get(shape);
    if (known) return known.apply;
    // Types that contain themselves (CRD schemas) have nothing to do; this ends the recursion.
    plans.set(shape, { apply: undefined });
    const apply = objectPlan(shape);
    plans.set(shape, { apply });
    return apply;
  };

  const objectPlan = (shape: ObjectShape): Apply | undefined => {
    const steps = shape.fields.flatMap((field) => stepOf(field, planOf(field.shape)) ?? []);
    if (steps.length === 0) return undefined;
    return (value) => {
      if (typeof value !== 'object' || value === null) return;
      for (const step of steps) step(value as Target);
    };
  };

  return planOf;
}

/** The step that changes nothing of the field itself. */
export function descend({ name }: Pick<Field, 'name'>, inner: Apply): (object: Target) => void {
  return (object) => {
    const value = object[name];
    if (value !== undefined && value !== null) inner(value);
  };
}

function each(apply: Apply | undefined, valuesOf: (value: unknown) => readonly unknown[]): Apply | undefined {
  return apply && ((value) => valuesOf(value).forEach(apply));
}
