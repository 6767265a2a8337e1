import { isPlain, sameJson, setOwn, type Plain } from '../json-value.ts';

/**
 * Applies RFC 7386: objects merge, null removes, everything else replaces. Neither argument is changed; the answer may
 * share parts with both.
 */
export function mergePatch(doc: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return patch;
  const result: Record<string, unknown> = isPlain(doc) ? { ...doc } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else setOwn(result, key, mergePatch(own(result, key), value));
  }
  return result;
}

/**
 * The smallest merge patch that makes `to` of `from`; {} where they are the same. Lists are replaced as a whole, as RFC
 * 7386 has it.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isPlain(from) || !isPlain(to)) return to;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) {
    if (own(to, key) === undefined && from[key] !== undefined) setOwn(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const before = own(from, key);
    const after = to[key];
    if (after === undefined || sameJson(before, after)) continue;
    setOwn(patch, key, isPlain(before) && isPlain(after) ? createMergePatch(before, after) : after);
  }
  return patch;
}

const own = (object: Plain, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
