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
    /** What is asked for is refused before anything else is; of a dry run, what it would get is judged too. */
    beforeValidation(write) {
      const subject = (write.dryRun ? write.object : structuredClone(write.object)) as Service;
      allocateService(subject, write.old as Service | undefined, allocators, write).revert();
    },
    beforeWrite(write) {
      if (write.dryRun) return undefined;
      const allocation = allocateService(write.object as Service, write.old as Service | undefined, allocators, write);
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
