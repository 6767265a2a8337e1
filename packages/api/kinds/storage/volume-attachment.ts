import { VolumeAttachment } from '../../generated/types/storage/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const volumeAttachment = define(VolumeAttachment, {
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.attacher,
    object.spec.source.persistentVolumeName ?? '',
    object.spec.nodeName,
    object.status.attached,
    age(object, nowMs),
  ],
});
