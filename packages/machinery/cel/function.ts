import { parseSignature, type Signature } from './check/type-syntax.ts';
import type { CelValue } from './values.ts';

/** What a function does for its arguments (the target of a member call comes first). Throws `CelError`. */
export type Implementation = (...values: never[]) => CelValue;

/** One overload of a function: its id is upstream's, for costs are counted by it. */
export interface Overload extends Signature {
  readonly function: string;
  readonly id: string;
  readonly implement: (...values: readonly CelValue[]) => CelValue;
}

/** A row of a library's table: function, overload id, signature, implementation. */
export type OverloadRow = readonly [name: string, id: string, signature: string, implement: Implementation];

/** The functions of a library by name. Throws on a malformed table. */
export function functionTable(rows: readonly OverloadRow[]): ReadonlyMap<string, readonly Overload[]> {
  const table = new Map<string, Overload[]>();
  for (const [name, id, signature, implement] of rows) {
    const overload: Overload = {
      ...parseSignature(signature),
      function: name,
      id,
      // The checker, or the dispatch by type at run time, sees to it that the arguments have the declared types.
      implement: implement as (...values: readonly CelValue[]) => CelValue,
    };
    const known = table.get(name);
    if (known === undefined) table.set(name, [overload]);
    else known.push(overload);
  }
  return table;
}
