/** Versions by maturity (v1 before v1beta2 before v1alpha1), then the newest first; other names come last, by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  for (let index = 0; index < left.length; index += 1) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Maturity, major version, minor version; undefined for names that are not of that form. */
function parts(version: string): readonly number[] | undefined {
  const [found, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (!found) return undefined;
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}
