import type { CelObject } from '../values.ts';
import { work } from '../work.ts';

/** The keys of objects that have more: V8 makes their list anew each time it is asked, the slower the more there are. */
const cheapKeysMax = 64;
/** What listing a key takes: 10 ns in a small object, up to 200 ns in one that is a dictionary. */
const dictionarySteps = 20;

/** Values do not change once an expression has looked at them: who adds a key to many makes a new object. */
const known = new WeakMap<CelObject, readonly string[]>();

/** The keys of an object of JSON data; many of them are listed once. */
export function keysOf(object: CelObject): readonly string[] {
  const listed = known.get(object);
  if (listed !== undefined) return listed;
  const keys = Object.keys(object);
  const isCheap = keys.length <= cheapKeysMax;
  work(isCheap ? keys.length / 2 : keys.length * dictionarySteps);
  if (!isCheap) known.set(object, keys);
  return keys;
}

/** What finding a key takes beside comparing its value: much in an object too large for the processor's caches. */
export function keySteps(keys: readonly string[]): number {
  return keys.length > 1_000 ? 5 : 0;
}
