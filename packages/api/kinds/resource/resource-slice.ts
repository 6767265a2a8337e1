import { ResourceSlice } from '../../generated/types/resource/v1.ts';
import { ResourceSlice as ResourceSlicev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceSlice as ResourceSlicev1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const resourceSlice = defineVersions([ResourceSlice, ResourceSlicev1beta2, ResourceSlicev1beta1], {
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.nodeName ?? '',
    object.spec.driver,
    object.spec.pool.name,
    age(object, nowMs),
  ],
});
