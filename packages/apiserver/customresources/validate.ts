import type { FieldCause } from '@kubernode/api';
import { embeddedCauses } from './embedded.ts';
import { listTypeCauses } from './list-types.ts';
import { compileRules } from './rules.ts';
import type { Plain, Schema } from './schema.ts';
import { validateValue } from './validate-value.ts';

/** `warnings` gets what rules find wrong with what did not change. */
export type Judge = (object: Plain, old: Plain | undefined, warnings?: string[]) => readonly FieldCause[];

/** Rules stand on values of the right types and sizes (hasBlockingErr). */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const unchecked: FieldCause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** All that a schema finds wrong with an object, or with its change: what did not change is not judged again. */
export function validatorOf(schema: Schema): Judge {
  const rules = compileRules(schema);
  return (object, old, warnings = []) => {
    const found = [
      ...embeddedCauses(object, schema),
      ...validateValue(object, schema, '', old && { value: old }),
      ...unlessKnown(listTypeCauses(object, schema), old && listTypeCauses(old, schema)),
    ];
    if (!rules) return found;
    if (found.some(({ reason }) => blocking.has(reason))) return [...found, unchecked];
    return [...found, ...rules(object, old, warnings)];
  };
}

/** What was wrong before may stay so. */
function unlessKnown(found: readonly FieldCause[], known: readonly FieldCause[] = []): readonly FieldCause[] {
  return found.filter(
    (cause) => !known.some(({ field, message }) => field === cause.field && message === cause.message),
  );
}
