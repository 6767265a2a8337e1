import type { FieldCause } from '@kubernode/api';

/** What a check found. `matches` grows with each check that was made: of alternatives, the closest one is told of. */
export interface Found {
  readonly causes: FieldCause[];
  matches: number;
  /** What is said of which field; made when something is. */
  said?: Set<string>;
}

export const noneFound = (): Found => ({ causes: [], matches: 0 });

/** Nobody reads more of what is wrong with one object; and a list may have a million items that all are. */
const causesMax = 1_000;
/** Of all messages together: each may name a hundred thousand values that would be right. */
const charactersMax = 4 * 1024 * 1024;

/** Whether nothing more need be looked for. */
export const isFull = ({ causes }: Found): boolean =>
  causes.length >= causesMax || causes.length * (causes.at(-1)?.message.length ?? 0) > charactersMax;

/** What is said already is not said again. */
export function add(found: Found, cause: FieldCause): void {
  const { causes } = found;
  if (isFull(found)) return;
  const said = (found.said ??= new Set());
  const text = `${cause.field}\n${cause.message}`;
  if (said.has(text)) return;
  said.add(text);
  causes.push(cause);
}

export function merge(into: Found, from: Found): void {
  for (const cause of from.causes) add(into, cause);
  into.matches += from.matches;
}

/** What is wrong with the object itself has no field; upstream prints Go's nil. */
export const fieldOf = (path: string): string => path.replace(/^\./, '') || '<nil>';
