import { isPlain, setOwn, type Plain } from '../json-value.ts';

/** A patch whose form is wrong; the API answers it with 400. */
export class PatchFormatError extends Error {
  override readonly name = 'PatchFormatError';
}

export const orderPrefix = '$setElementOrder/';
export const deletePrefix = '$deleteFromPrimitiveList/';

export const directiveError = (directive: unknown, map: Plain) =>
  new PatchFormatError(`unknown patch type: ${formatGo(directive)} in map: ${formatGo(map)}`);

export const mergeKeyError = (map: Plain, mergeKey: string) =>
  new PatchFormatError(`map: ${formatGo(map)} does not contain declared merge key: ${mergeKey}`);

/**
 * A value that is new to the document: without nulls, and without elements that are only a directive. undefined where
 * the value itself is one.
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isPlain(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] === null ? undefined : withoutDirectives(value[key]);
    if (item !== undefined) setOwn(kept, key, item);
  }
  return kept;
}

/** As Go's %v prints a JSON value; upstream's messages quote patches so. */
export function formatGo(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGo).join(' ')}]`;
  if (!isPlain(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${key}:${formatGo(value[key])}`);
  return `map[${parts.join(' ')}]`;
}
