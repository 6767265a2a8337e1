import { VolumeAttributesClass } from '../../generated/types/storage/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const volumeAttributesClass = define(VolumeAttributesClass, {
  row: (object, nowMs) => [object.metadata.name, object.driverName, age(object, nowMs)],
});
