/** A number in [0, 1). Production hands in `Math.random`, a simulation a seeded one. */
export type Random = () => number;

/** No vowels, so that no words come about, and nothing that looks like something else. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The end of a generated name ("pod-x7k2q"); upstream's alphabet (util/rand SafeEncodeString's). */
export function randomSuffix(random: Random, length = 5): string {
  let suffix = '';
  for (let index = 0; index < length; index += 1) suffix += alphabet.charAt(Math.floor(random() * alphabet.length));
  return suffix;
}

/** A version 4 UUID; from the platform's generator unless `random` makes it repeatable. */
export function uid(random?: Random): string {
  if (!random) return crypto.randomUUID();
  const digit = (values: number, from = 0) => (from + Math.floor(random() * values)).toString(16);
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => (place === 'x' ? digit(16) : digit(4, 8)));
}

/** Numbers in [0, 1) that a seed decides (mulberry32), for simulations and tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Adds up to `factor` of the duration, so that many timers do not fire at once (wait.Jitter). */
export const jitter = (durationMs: number, factor: number, random: Random) =>
  durationMs * (1 + Math.max(0, factor) * random());
