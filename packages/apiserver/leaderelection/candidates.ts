import type { LeaseCandidate } from '@kubernode/api/coordination/v1beta1';

export const oldestEmulationVersion = 'OldestEmulationVersion';

/** The strategy that candidates want: that of the newest binary. Throws where equals want different ones. */
export function strategyOf(candidates: readonly LeaseCandidate[]): string {
  const newest = [...candidates].sort((a, b) => compareVersions(b.spec.binaryVersion, a.spec.binaryVersion));
  const [first] = newest;
  if (!first) throw new Error('there are no candidates');
  for (const other of newest) {
    if (compareVersions(other.spec.binaryVersion, first.spec.binaryVersion) !== 0) break;
    if (other.spec.strategy === first.spec.strategy) continue;
    const names = [first, other].map(({ metadata }) => JSON.stringify(metadata.name)).join(' and ');
    throw new Error(`candidates ${names} of the same binary version want different strategies`);
  }
  return first.spec.strategy ?? '';
}

/** The candidate that emulates the oldest version, of the oldest binary, that was there first; undefined where no version can be read. */
export function oldestOf(candidates: readonly LeaseCandidate[]): LeaseCandidate | undefined {
  const valid = candidates.filter(
    ({ spec }) => numbersOf(spec.emulationVersion) !== undefined && numbersOf(spec.binaryVersion) !== undefined,
  );
  return valid.sort(
    (a, b) =>
      compareVersions(a.spec.emulationVersion, b.spec.emulationVersion) ||
      compareVersions(a.spec.binaryVersion, b.spec.binaryVersion) ||
      createdMs(a) - createdMs(b),
  )[0];
}

const createdMs = ({ metadata }: LeaseCandidate) => Date.parse(metadata.creationTimestamp ?? '') || 0;

/** A version that cannot be read is older than all others. */
function compareVersions(a: string | undefined, b: string | undefined): number {
  const [left, right] = [numbersOf(a) ?? [0, 0, 0], numbersOf(b) ?? [0, 0, 0]];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : left[at]! - right[at]!;
}

/** `v1.37` → [1, 37, 0] */
function numbersOf(version = ''): readonly number[] | undefined {
  const [found, major, minor = 0, patch = 0] =
    /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version.trim()) ?? [];
  return found === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}
