import type { AgingCell, Cell } from '@kubernode/api';

/** The JSON of a Table's row up to its object, in parts: only the cells that depend on the clock are not yet printed. */
export type RowText = readonly (string | AgingCell)[];

export function rowText(cells: readonly Cell[], conditions: readonly unknown[] | undefined): RowText {
  const parts: (string | AgingCell)[] = [];
  let printed = ['{"cells":['];
  // Joined at once: a string that grows is held as the tree of all that it grew by.
  const print = () => parts.push(printed.join(''));
  cells.forEach((cell, index) => {
    if (index > 0) printed.push(',');
    if (typeof cell === 'function') {
      print();
      parts.push(cell);
      printed = [];
    } else printed.push(JSON.stringify(cell ?? null));
  });
  printed.push(']', conditions ? `,"conditions":${JSON.stringify(conditions)}` : '', ',"object":');
  print();
  // A list that has grown has room to grow.
  return parts.slice();
}

export const rowTextAt = (row: RowText, nowMs: number): string =>
  row.map((part) => (typeof part === 'string' ? part : JSON.stringify(part(nowMs)))).join('');
