import { isPlain, type Schema } from '../schema.ts';

/** The schemas that a schema is made of, whatever says them. */
export function schemasIn(schema: Schema): Schema[] {
  const { items, not, additionalProperties, additionalItems } = schema;
  return [
    ...(Array.isArray(items) ? items : items ? [items] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not ? [not] : []),
    ...Object.values(schema.properties ?? {}),
    ...[additionalProperties, additionalItems].filter((each): each is Schema => isPlain(each)),
    ...Object.values(schema.patternProperties ?? {}),
    ...Object.values(schema.definitions ?? {}),
    ...Object.values(schema.dependencies ?? {}).filter((each): each is Schema => isPlain(each)),
  ];
}

/** Whether something is true of a schema, or of one that it is made of. */
export function someSchema(schema: Schema | undefined, test: (schema: Schema) => boolean): boolean {
  return schema !== undefined && (test(schema) || schemasIn(schema).some((each) => someSchema(each, test)));
}

/** The same of one test, found out once for each schema: for who asks with every object, and mostly in vain. */
export function someSchemaOnce(test: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const some = (schema: Schema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const found = test(schema) || schemasIn(schema).some(some);
    known.set(schema, found);
    return found;
  };
  return some;
}
