import { ResourceSlice } from '../../generated/types/resource/v1.ts';
import { ResourceSlice as ResourceSlicev1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { ResourceSlice as ResourceSlicev1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { taintDefaults } from '../../rules/devices/defaults.ts';
import { resourceSlice as sliceCauses } from '../../rules/devices/slice.ts';
import { sliceAsV1 } from '../../rules/devices/versions.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const resourceSlice = defineVersions([ResourceSlice, ResourceSlicev1beta2, ResourceSlicev1beta1], {
  defaults: (slice, nowTime) =>
    sliceAsV1(slice).spec.devices?.forEach(({ taints }) => taints?.forEach((taint) => taintDefaults(taint, nowTime))),
  validateCreate: (slice) => sliceCauses(sliceAsV1(slice)),
  validateUpdate: (slice, old) => sliceCauses(sliceAsV1(slice), sliceAsV1(old)),
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`],
  generation: 'spec-as-sent',
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
    'spec.pool.name': ({ spec }) => spec.pool.name,
  },
  row: (object) => [
    object.metadata.name,
    object.spec.nodeName ?? '',
    object.spec.driver,
    object.spec.pool.name,
    age(object),
  ],
});
