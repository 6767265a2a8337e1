import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { Opaque, toInt, uint64Max, type CelValue } from '../values.ts';

class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  override equals(other: CelValue): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const pattern = new RegExp(
  `^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

/** Longer than any version: its numbers would take long to read. */
const charactersMax = 1024;

function parse(text: string, normalized = false): Semver {
  const match = text.length > charactersMax ? null : pattern.exec(normalized ? normalize(text) : text);
  const numbers = match?.slice(1, 4).map(BigInt) ?? [];
  if (match === null || numbers.some((number) => number > uint64Max)) {
    if (text === '') throw new CelError('Version string empty');
    if (text.split('.').length < 3) throw new CelError('No Major.Minor.Patch elements found');
    throw new CelError(`Invalid character(s) found in version ${JSON.stringify(text)}`);
  }
  return new Semver(numbers, match[4]?.split('.') ?? []);
}

/** `v1.02` as `1.2.0`. Throws `CelError` for a short version with more than numbers. */
function normalize(text: string): string {
  const [first = '', second, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  const short = parts.map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (short.length < 3 && /[+-]/.test(short.at(-1) ?? '')) {
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (short.length < 3) short.push('0');
  return short.join('.');
}

function compare(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    if (part !== other) return comparePrerelease(part, other);
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

/** Numbers are below words, and in the order of their value. */
function comparePrerelease(a: string, b: string): number {
  const isNumber = [a, b].map((part) => /^\d+$/.test(part));
  if (isNumber[0] && isNumber[1]) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -1 : 1;
  return a < b ? -1 : 1;
}

function isSemver(text: string, normalized = false): boolean {
  try {
    return parse(text, normalized) instanceof Semver;
  } catch {
    return false;
  }
}

const number =
  (index: number) =>
  (version: Semver): CelValue =>
    toInt(version.numbers[index] ?? 0n);

/** Semantic versions (KEP-5073, version 1 of the library). */
export const semverLibrary = functionTable([
  ['semver', 'string_to_semver', '(string) kubernetes.Semver', parse],
  ['semver', 'string_bool_to_semver', '(string, bool) kubernetes.Semver', parse],
  ['isSemver', 'is_semver_string', '(string) bool', isSemver],
  ['isSemver', 'is_semver_string_bool', '(string, bool) bool', isSemver],
  [
    'isGreaterThan',
    'semver_is_greater_than',
    'kubernetes.Semver.(kubernetes.Semver) bool',
    (a: Semver, b: Semver) => compare(a, b) > 0,
  ],
  [
    'isLessThan',
    'semver_is_less_than',
    'kubernetes.Semver.(kubernetes.Semver) bool',
    (a: Semver, b: Semver) => compare(a, b) < 0,
  ],
  ['compareTo', 'semver_compare_to', 'kubernetes.Semver.(kubernetes.Semver) int', compare],
  ['major', 'semver_major', 'kubernetes.Semver.() int', number(0)],
  ['minor', 'semver_minor', 'kubernetes.Semver.() int', number(1)],
  ['patch', 'semver_patch', 'kubernetes.Semver.() int', number(2)],
]);
