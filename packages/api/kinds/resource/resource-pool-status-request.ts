import { ResourcePoolStatusRequest } from '../../generated/types/resource/v1alpha3.ts';
import { conditions } from '../../rules/conditions.ts';
import { immutable } from '../../rules/values.ts';
import { ageCell } from '../cells.ts';
import { define } from '../define.ts';

export const resourcePoolStatusRequest = define(ResourcePoolStatusRequest, {
  /** No status at all says that nobody has answered. */
  prepareForCreate(object) {
    delete object.status;
  },
  /** An answer is given once. */
  validateStatusUpdate: ({ status }, { status: old }) =>
    old ? immutable(status, 'status', old) : conditions(status?.conditions ?? [], 'status.conditions'),
  generation: 'none',
  unconditionalUpdate: false,
  row: (object) => {
    const pools = object.status?.pools ?? [];
    const sum = (name: 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices') =>
      pools.reduce((total, pool) => total + (pool[name] ?? 0), 0);
    const complete = object.status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
    return [
      object.metadata.name,
      object.spec.driver,
      sum('totalDevices'),
      sum('availableDevices'),
      sum('allocatedDevices'),
      sum('unavailableDevices'),
      pools.filter(({ validationError }) => validationError).length,
      object.status?.poolCount ?? 0,
      complete?.type ?? 'Pending',
      ageCell(complete?.lastTransitionTime),
    ];
  },
});
