/** Letters and digits that make no words (upstream's rand.SafeEncodeString). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const lettersCount = 20;

/** A short name for content such as a pod template: the same for the same content, another after a collision. */
export function contentHash(content: unknown, collisionCount = 0): string {
  const text = JSON.stringify(sorted(content)) + (collisionCount > 0 ? String(collisionCount) : '');
  const digits = String(fnv1a(text));
  return digits.replaceAll(/\d/g, (digit, at: number) => {
    // A letter to begin with, so that no name looks like a number with a tail.
    const choices = at === 0 ? lettersCount : alphabet.length;
    return alphabet.charAt(digit.charCodeAt(0) % choices);
  });
}

/** The same value with keys in order: how it was written does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
