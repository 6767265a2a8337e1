import { DeviceClass } from '../../generated/types/resource/v1.ts';
import { DeviceClass as DeviceClassv1beta2 } from '../../generated/types/resource/v1beta2.ts';
import { DeviceClass as DeviceClassv1beta1 } from '../../generated/types/resource/v1beta1.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const deviceClass = defineVersions([DeviceClass, DeviceClassv1beta2, DeviceClassv1beta1], {
  row: (object, nowMs) => [object.metadata.name, age(object, nowMs)],
});
