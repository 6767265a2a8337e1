import type { FieldCause } from '@kubernode/api';

/** What a check found. `matches` grows with each check that was made: of alternatives, the closest one is told of. */
export interface Found {
  readonly causes: FieldCause[];
  matches: number;
}

export const noneFound = (): Found => ({ causes: [], matches: 0 });

/** What is said already is not said again. */
export function add(found: Found, cause: FieldCause): void {
  const { causes } = found;
  if (!causes.some(({ message, field }) => message === cause.message && field === cause.field)) causes.push(cause);
}

export function merge(into: Found, from: Found): void {
  for (const cause of from.causes) add(into, cause);
  into.matches += from.matches;
}

/** What is wrong with the object itself has no field; upstream prints Go's nil. */
export const fieldOf = (path: string): string => path.replace(/^\./, '') || '<nil>';
