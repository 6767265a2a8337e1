import { coercion } from './coercion.ts';
import { isMap, mapGet } from './equality.ts';
import { CelError, noSuchKey, noSuchOverload } from '../errors.ts';
import type { Evaluate, Frame } from './frame.ts';
import { index } from '../library/standard.ts';
import { isOptional } from '../check/optional-check.ts';
import { dynType, type CelType } from '../types.ts';
import { isObject, Optional, type CelValue } from '../values.ts';

interface Selection {
  readonly operand: Evaluate;
  readonly operandType: CelType;
  readonly field: string;
  readonly testOnly: boolean;
}

/** `operand.field`, or whether it is there. A field of a schema is coerced to the type that the schema gives it. */
export function compileSelect({ operand, operandType, field, testOnly }: Selection): Evaluate {
  const find = fieldReader(operandType, field);
  if (testOnly) return compileHas(operand, find);
  const missing = (): CelError => noSuchKey(field);
  return (frame) => {
    const held = operand(frame);
    frame.cost++;
    if (held instanceof Optional) return throughOptional(held, find);
    const value = find(held);
    if (value === undefined) throw missing();
    return value;
  };
}

/** A presence test costs what its operand costs: the last field is free. */
function compileHas(operand: Evaluate, find: (held: CelValue) => CelValue | undefined): Evaluate {
  return (frame: Frame) => {
    const held = operand(frame);
    if (!(held instanceof Optional)) return find(held) !== undefined;
    return held.value !== undefined && find(held.value) !== undefined;
  };
}

function throughOptional(held: Optional, find: (held: CelValue) => CelValue | undefined): CelValue {
  const value = held.value === undefined ? undefined : find(held.value);
  return value === undefined ? Optional.none : new Optional(value);
}

/** Reads a field of a value: undefined when it is not there. Throws `CelError` when the value has no fields. */
function fieldReader(operandType: CelType, field: string): (held: CelValue) => CelValue | undefined {
  const type = isOptional(operandType) ?? operandType;
  const declared = type.kind === 'object' ? type.fields().get(field) : undefined;
  const property = declared?.property ?? field;
  const coerce = coercion(declared?.type ?? dynType);
  return (held) => {
    if (isObject(held)) return Object.hasOwn(held, property) ? coerce(held[property] ?? null) : undefined;
    if (isMap(held)) return mapGet(held, property);
    throw noSuchOverload();
  };
}

/** `operand.?field`. */
export function optionalSelect(operand: Evaluate, operandType: CelType, field: string): Evaluate {
  const find = fieldReader(operandType, field);
  return (frame) => {
    const held = operand(frame);
    frame.cost++;
    const whole = held instanceof Optional ? held : new Optional(held);
    return throughOptional(whole, find);
  };
}

/** `container[?key]`. */
export function optionalIndex(container: Evaluate, key: Evaluate): Evaluate {
  return (frame) => {
    const held = container(frame);
    const at = key(frame);
    frame.cost++;
    return indexIfThere(held instanceof Optional ? held.value : held, at);
  };
}

/** None when there is no such key or index; any other error stays one. */
export function indexIfThere(container: CelValue | undefined, key: CelValue): Optional {
  if (container === undefined) return Optional.none;
  try {
    return new Optional(index(container, key));
  } catch (error) {
    if (error instanceof CelError && /^(?:no such key|index out of bounds)/.test(error.message)) return Optional.none;
    throw error;
  }
}
