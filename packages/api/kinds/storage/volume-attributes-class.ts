import { VolumeAttributesClass } from '../../generated/types/storage/v1.ts';
import { define } from '../define.ts';

export const volumeAttributesClass = define(VolumeAttributesClass);
