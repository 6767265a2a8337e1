import type { FieldCause } from '@kubernode/api';
import { embeddedCauses } from './embedded.ts';
import { listTypeCauses } from './list-types.ts';
import { compileRules } from './rules.ts';
import type { Plain, Schema } from './schema.ts';
import { validateValue } from './validate-value.ts';

/** All that a schema finds wrong with an object, or with its change: what did not change is not judged again. */
export function validatorOf(schema: Schema): (object: Plain, old: Plain | undefined) => readonly FieldCause[] {
  const rules = compileRules(schema);
  return (object, old) => {
    const found = [
      ...embeddedCauses(object, schema),
      ...validateValue(object, schema, '', old && { value: old }),
      ...unlessKnown(listTypeCauses(object, schema), old && listTypeCauses(old, schema)),
    ];
    // Rules stand on values of the right types.
    return found.length > 0 || !rules ? found : rules(object, old);
  };
}

/** What was wrong before may stay so. */
function unlessKnown(found: readonly FieldCause[], known: readonly FieldCause[] = []): readonly FieldCause[] {
  return found.filter(
    (cause) => !known.some(({ field, message }) => field === cause.field && message === cause.message),
  );
}
