import type { FieldCause } from '@kubernode/api';
import { Correlated } from './correlated.ts';
import { embeddedCauses } from './embedded.ts';
import { listTypeCauses } from './list-types.ts';
import { beginObject } from './pattern.ts';
import { compileRules } from './rules.ts';
import type { Plain, Schema } from '../schema.ts';
import { validateValue } from './validate-value.ts';

/** `warnings` gets what rules find wrong with what did not change. */
export type Judge = (object: Plain, old: Plain | undefined, warnings?: string[]) => readonly FieldCause[];

export interface Judges {
  readonly object: Judge;
  /** Of a change of the status alone: other parts are judged by rules only. */
  readonly status: Judge;
}

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
export function validatorOf(schema: Schema): Judges {
  const rules = compileRules(schema);
  const ofStatus = schema.properties?.['status'];
  const withRules = (
    found: FieldCause[],
    object: Plain,
    old: Plain | undefined,
    correlated: Correlated | undefined,
    warnings: string[],
  ): readonly FieldCause[] => {
    found.push(...listCauses(object, old, schema));
    if (!rules) return found;
    if (found.some(({ reason }) => blocking.has(reason))) return [...found, unchecked];
    return [...found, ...rules({ value: object, old, correlated, warnings })];
  };
  return {
    object: (object, old, warnings = []) => {
      beginObject();
      const correlated = old && new Correlated(object, old, schema);
      const found = [...validateValue(object, schema, '', { old: correlated }), ...embeddedCauses(object, schema)];
      return withRules(found, object, old, correlated, warnings);
    },
    status: (object, old, warnings = []) => {
      beginObject();
      const correlated = old && new Correlated(object, old, schema);
      const found: FieldCause[] = [];
      if (ofStatus && Object.hasOwn(object, 'status')) {
        const judged = validateValue(object['status'], ofStatus, '', { old: correlated?.at('status') });
        found.push(...judged.map((cause) => ({ ...cause, field: underStatus(cause.field) })));
      }
      return withRules(found, object, old, correlated, warnings);
    },
  };
}

const underStatus = (field: string) => (field === '<nil>' ? 'status' : `status.${field}`);

/** Where items came twice before, they may do so still. */
function listCauses(object: Plain, old: Plain | undefined, schema: Schema): readonly FieldCause[] {
  const found = listTypeCauses(object, schema);
  return found.length > 0 && old && listTypeCauses(old, schema).length > 0 ? [] : found;
}
