import { CSIDriver } from '../../generated/types/storage/v1.ts';
import { age, noneCell, unsetCell } from '../cells.ts';
import { define } from '../define.ts';

export const csiDriver = define(CSIDriver, {
  defaults({ spec }) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    spec.volumeLifecycleModes ??= ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
    spec.preventPodSchedulingIfMissing ??= false;
  },
  generation: 'none',
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.attachRequired ?? true,
    object.spec.podInfoOnMount ?? false,
    object.spec.storageCapacity ?? false,
    (object.spec.tokenRequests ?? []).map(({ audience }) => audience).join(',') || unsetCell,
    object.spec.requiresRepublish ?? false,
    (object.spec.volumeLifecycleModes ?? []).join(',') || noneCell,
    age(object, nowMs),
  ],
});
