const names = new WeakMap<object, string>();

/** Notes the type by whose name an expression made an object; answers the object. */
export function nameStruct<T extends object>(object: T, name: string): T {
  names.set(object, name);
  return object;
}

/** The type's name of an object that an expression made (`Object.spec{…}`); undefined for all others. */
export const structName = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? names.get(value) : undefined;
