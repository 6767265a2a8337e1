import { PriorityLevelConfiguration } from '../../generated/types/flowcontrol/v1.ts';
import { typedConditions } from '../../rules/flowcontrol/conditions.ts';
import { priorityLevelCauses } from '../../rules/flowcontrol/priority-level.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

export const priorityLevelConfiguration = define(PriorityLevelConfiguration, {
  defaults({ spec }) {
    if (spec.exempt) {
      spec.exempt.nominalConcurrencyShares ??= 0;
      spec.exempt.lendablePercent ??= 0;
    }
    if (!spec.limited) return;
    spec.limited.nominalConcurrencyShares ??= 30;
    spec.limited.lendablePercent ??= 0;
    const { queuing } = spec.limited.limitResponse;
    if (!queuing) return;
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  },
  validate: (object) => [...priorityLevelCauses(object), ...typedConditions(object.status.conditions)],
  validateStatusUpdate: ({ status }) => typedConditions(status.conditions),
  rechecksName: true,
  row: (object) => {
    const { limited, type } = object.spec;
    const queuing = limited?.limitResponse.queuing;
    return [
      object.metadata.name,
      type,
      limited?.nominalConcurrencyShares ?? noneCell,
      queuing?.queues ?? noneCell,
      queuing?.handSize ?? noneCell,
      queuing?.queueLengthLimit ?? noneCell,
      age(object),
    ];
  },
});
