/** A semantic version (semver.org 2.0.0) as far as it is compared. */
export interface SemanticVersion {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const number = '(0|[1-9]\\d*)';
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

export function parseVersion(text: string): SemanticVersion | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  return { numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split('.') ?? [] };
}

/** Negative, 0 or positive; a prerelease comes before its release, and what it was built of does not count. */
export function compareVersions(left: SemanticVersion, right: SemanticVersion): number {
  for (const [index, value] of left.numbers.entries()) {
    const difference = value - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  const [a, b] = [left.prerelease, right.prerelease];
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = compareIdentifiers(a[index], b[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers by size and before words; what is missing comes first. */
function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOther) return Number(a) - Number(b);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
