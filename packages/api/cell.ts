/**
 * A cell that depends on the clock, as ages do: its text at a time. Rows are kept for as long as their objects are: it
 * holds the times that it tells, and nothing else of the object.
 */
export type AgingCell = (nowMs: number) => string;

/** A cell of a Table's row; undefined is shown as null. */
export type Cell = string | number | bigint | boolean | null | undefined | AgingCell;

/** What a cell shows at a time. */
export const cellAt = (cell: Cell, nowMs: number): Exclude<Cell, AgingCell> =>
  typeof cell === 'function' ? cell(nowMs) : cell;
