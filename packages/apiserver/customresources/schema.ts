import type { JSONSchemaProps } from '@kubernode/api/apiextensions/v1';

/** A node of a structural schema, as a CRD writes it (KEP-2337): its JSON is the form that all readers of it share. */
export type Schema = JSONSchemaProps;

/** The schema of a list's items; undefined where nothing is said (or, which is refused, one for each place). */
export function itemsOf(schema: Schema | undefined): Schema | undefined {
  const items = schema?.items;
  return Array.isArray(items) ? undefined : items;
}

/** The schema of the values of a map; undefined where any value, or none, may be there. */
export function valuesOf(schema: Schema | undefined): Schema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === 'object' ? values : undefined;
}

/** Whether fields may have any name. */
export function hasFreeKeys(schema: Schema): boolean {
  return schema.additionalProperties !== undefined && schema.additionalProperties !== false;
}

/** The schema of what is under a key: a declared field's, or that of the map's values. */
export function schemaUnder(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties } = schema ?? {};
  return properties && Object.hasOwn(properties, key) ? properties[key] : valuesOf(schema);
}

export const preservesUnknown = (schema: Schema) => schema['x-kubernetes-preserve-unknown-fields'] === true;
export const isEmbedded = (schema: Schema) => schema['x-kubernetes-embedded-resource'] === true;
export const isIntOrString = (schema: Schema) => schema['x-kubernetes-int-or-string'] === true;

/** What every object has; a schema does not describe it. */
export const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export type Plain = Readonly<Record<string, unknown>>;

export const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
