import { CSINode } from '../../generated/types/storage/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const csiNode = define(CSINode, {
  generation: 'none',
  row: (object, nowMs) => [object.metadata.name, object.spec.drivers.length, age(object, nowMs)],
});
