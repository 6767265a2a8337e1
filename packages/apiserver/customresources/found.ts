import type { FieldCause } from '@kubernode/api';

/** What a check found. `matches` grows with each check that was made: of alternatives, the closest one is told of. */
export interface Found {
  readonly causes: FieldCause[];
  matches: number;
}

/** The value at the same place of the object before; what did not change is not judged again (KEP-4008). */
export interface Old {
  readonly value: unknown;
}

/** What is wrong with the object itself has no field; upstream prints Go's nil. */
export const fieldOf = (path: string): string => path || '<nil>';
