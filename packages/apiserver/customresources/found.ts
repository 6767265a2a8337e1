import type { FieldCause } from '@kubernode/api';

/** What a check found. `matches` grows with each check that was made: of alternatives, the closest one is told of. */
export interface Found {
  readonly causes: FieldCause[];
  matches: number;
}

/** What is wrong with the object itself has no field; upstream prints Go's nil. */
export const fieldOf = (path: string): string => path || '<nil>';
