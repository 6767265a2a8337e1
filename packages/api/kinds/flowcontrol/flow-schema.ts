import { FlowSchema } from '../../generated/types/flowcontrol/v1.ts';
import { invalid } from '../../rules/cause.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

const precedenceMax = 10_000;

/** Only what is exempt comes first. */
function precedence(value: number, name: string): readonly FieldCause[] {
  const at = 'spec.matchingPrecedence';
  if (value === 1 && name !== 'exempt') {
    return [invalid(at, value, "only the schema named 'exempt' may have matchingPrecedence 1")];
  }
  return value > precedenceMax ? [invalid(at, value, `must not be greater than ${precedenceMax}`)] : [];
}

export const flowSchema = define(FlowSchema, {
  defaults({ spec }) {
    spec.matchingPrecedence ||= 1000;
  },
  validate: ({ metadata, spec }) => precedence(spec.matchingPrecedence ?? 0, metadata.name ?? ''),
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.priorityLevelConfiguration.name || noneCell,
    object.spec.matchingPrecedence,
    object.spec.distinguisherMethod?.type ?? noneCell,
    age(object, nowMs),
    object.status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
});
