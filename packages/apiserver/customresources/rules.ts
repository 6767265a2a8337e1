import type { FieldCause } from '@kubernode/api';
import type { Plain, Schema } from './schema.ts';

/** What `x-kubernetes-validations` find wrong; `old` is undefined at creation. */
export type Rules = (object: Plain, old: Plain | undefined) => readonly FieldCause[];

/** The rules of a schema, compiled once; undefined where it has none. */
export function compileRules(_schema: Schema): Rules | undefined {
  return undefined;
}
