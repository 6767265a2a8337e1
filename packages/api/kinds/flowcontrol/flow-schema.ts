import { FlowSchema } from '../../generated/types/flowcontrol/v1.ts';
import { typedConditions } from '../../rules/flowcontrol/conditions.ts';
import { flowSchemaCauses } from '../../rules/flowcontrol/flow-schema.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

export const flowSchema = define(FlowSchema, {
  defaults({ spec }) {
    spec.matchingPrecedence ||= 1000;
  },
  validate: (object) => [...flowSchemaCauses(object), ...typedConditions(object.status.conditions)],
  validateStatusUpdate: ({ status }) => typedConditions(status.conditions),
  rechecksName: true,
  row: (object) => [
    object.metadata.name,
    object.spec.priorityLevelConfiguration.name ?? '',
    object.spec.matchingPrecedence,
    object.spec.distinguisherMethod?.type ?? noneCell,
    age(object),
    object.status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
});
