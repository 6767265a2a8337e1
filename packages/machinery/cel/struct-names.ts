import type { CelValue } from './values.ts';

const names = new WeakMap<object, string>();

/** The object that an expression makes by the name of its type, which is noted. */
export function makeStruct(fields: ReadonlyMap<string, CelValue>, name: string): CelValue {
  const object = Object.create(null) as Record<string, CelValue>;
  for (const [property, value] of fields) object[property] = value;
  names.set(object, name);
  return object;
}

/** The type's name of an object that an expression made (`Object.spec{…}`); undefined for all others. */
export const structName = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? names.get(value) : undefined;
