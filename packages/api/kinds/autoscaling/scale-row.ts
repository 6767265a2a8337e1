import type { Cell } from '../../cell.ts';
import type { Scale } from '../../generated/types/autoscaling/v1.ts';
import { age } from '../cells.ts';

/** The row of a scale subresource: name, desired, available, age. */
export const scaleRow = (object: Scale): readonly Cell[] => [
  object.metadata.name,
  object.spec.replicas ?? 0,
  object.status.replicas,
  age(object),
];
