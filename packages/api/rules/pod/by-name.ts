/** The first of each name, in time that grows with the list. */
export const byName = <Named extends { readonly name: string }>(list: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(list.toReversed().map((one) => [one.name, one]));
