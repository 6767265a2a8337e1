import { EvictionRequest } from '../../generated/types/lifecycle/v1alpha1.ts';
import { invalid } from '../../rules/cause.ts';
import { conditionCell, conditions } from '../../rules/conditions.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const evictionRequest = define(EvictionRequest, {
  validate({ spec: { requester } }) {
    const domain = (requester.split('/')[0] ?? '').trim().toLowerCase().replace(/\.+$/, '');
    const isReserved = /(^|\.)(k8s|kubernetes)\.io$/.test(domain);
    const detail = 'domain names *.k8s.io, *.kubernetes.io are reserved';
    return isReserved ? [invalid('spec.requester', requester, detail)] : [];
  },
  validateStatusUpdate: ({ status }) => conditions(status?.conditions ?? [], 'status.conditions'),
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    object.spec.target.pod?.name ?? '',
    object.spec.target.pod ? 'Pod' : '',
    conditionCell(object.status?.conditions),
    object.spec.requester,
    object.spec.intent,
    age(object),
  ],
});
