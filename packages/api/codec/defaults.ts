import { deepClone } from '@kubernode/machinery';
import type { Field, ObjectShape, Shape } from '@kubernode/machinery';

type Target = Record<string, unknown>;
type Apply = (value: unknown) => void;

/**
 * Fills in the defaults that the facts declare (`+default=` in the Go types), in place, at every depth. A zero value that
 * is not a pointer counts as absent. What takes more than a declaration is the kind's own `defaults`, called after it.
 */
export function applyDefaults(object: unknown, shape: ObjectShape): void {
  applierOf(shape)?.(object);
}

/** undefined: nothing below declares a default. */
const appliers = new Map<Shape, Apply | undefined>();

function applierOf(shape: Shape): Apply | undefined {
  if (shape.type === 'list') {
    const apply = applierOf(shape.items);
    return apply && ((value) => (value as readonly unknown[]).forEach(apply));
  }
  if (shape.type === 'map') {
    const apply = applierOf(shape.values);
    return apply && ((value) => Object.values(value as object).forEach(apply));
  }
  if (shape.type !== 'object') return undefined;
  if (!appliers.has(shape)) {
    // Types that contain themselves (CRD schemas) declare no defaults; this ends the recursion.
    appliers.set(shape, undefined);
    appliers.set(shape, objectApplier(shape));
  }
  return appliers.get(shape);
}

function objectApplier(shape: ObjectShape): Apply | undefined {
  const steps = shape.fields.flatMap((field) => fieldStep(field) ?? []);
  if (steps.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    for (const step of steps) step(value as Target);
  };
}

function fieldStep(field: Field): ((object: Target) => void) | undefined {
  const { name, default: declared, pointer } = field;
  const inner = applierOf(field.shape);
  const isZero = (value: unknown) => !pointer && (value === '' || value === 0 || value === false);
  if (declared === undefined || (isZero(declared) && !inner)) return inner && descend(name, inner);
  return (object) => {
    const value = object[name];
    if (value === undefined || value === null || isZero(value)) object[name] = deepClone(declared);
    inner?.(object[name]);
  };
}

function descend(name: string, inner: Apply): (object: Target) => void {
  return (object) => {
    const value = object[name];
    if (value !== undefined && value !== null) inner(value);
  };
}
