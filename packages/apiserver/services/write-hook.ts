import type { Service } from '@kubernode/api/core/v1';
import type { HookedWrite, WriteHook } from '../seams.ts';
import type { ServiceAllocators } from './allocators.ts';
import { allocateService, releaseService, type ServiceAllocation } from './hooks.ts';

/**
 * Ties the allocators to the writes of Services. Before the first write the caller makes them know the Services that
 * are stored (`repairAllocators`). One API server a store: two would give the same port to two Services.
 */
export function serviceWriteHook(allocators: ServiceAllocators): WriteHook {
  const underWay = new WeakMap<HookedWrite, ServiceAllocation>();
  return {
    group: '',
    resource: 'services',
    beforeWrite(write) {
      const allocation = allocateService(write.object as Service, write.old as Service | undefined, allocators, write);
      if (write.dryRun) {
        allocation.revert();
        return undefined;
      }
      underWay.set(write, allocation);
      return () => allocation.revert();
    },
    afterWrite(write) {
      underWay.get(write)?.commit();
    },
    afterDelete(object) {
      releaseService(object as Service, allocators);
    },
  };
}
