import { ValidatingAdmissionPolicy } from '../../generated/types/admissionregistration/v1.ts';
import { kindCell, matchDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const validatingAdmissionPolicy = define(ValidatingAdmissionPolicy, {
  defaults({ spec }) {
    spec.failurePolicy ??= 'Fail';
    if (spec.matchConstraints) matchDefaults(spec.matchConstraints);
  },
  generation: 'spec',
  unconditionalUpdate: false,
  row: (object, nowMs) => [
    object.metadata.name,
    (object.spec.validations ?? []).length,
    kindCell(object.spec.paramKind),
    age(object, nowMs),
  ],
});
