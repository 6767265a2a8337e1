import { EvictionRequest } from '../../generated/types/lifecycle/v1alpha1.ts';
import { conditionCell } from '../../rules/conditions.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const evictionRequest = define(EvictionRequest, {
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.target.pod?.name ?? '',
    object.spec.target.pod ? 'Pod' : '',
    conditionCell(object.status?.conditions),
    object.spec.requester,
    object.spec.intent,
    age(object, nowMs),
  ],
});
