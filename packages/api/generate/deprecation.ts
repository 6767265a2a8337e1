/** What the Go types say of a kind's life: `prerelease-lifecycle-gen`. */
export interface Lifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  /** `group,version,Kind`. */
  readonly replacement?: string;
}

/** So many minor versions an alpha or beta lives before it is deprecated, and then before it is removed. */
const minorsOfGrace = 3;

/** What clients are warned of in a release ("1.37.1"); undefined while the kind is not deprecated. */
export function deprecationOf(
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
  { introduced, deprecated, removed, replacement }: Lifecycle,
  release: string,
): string | undefined {
  const isPrerelease = /alpha|beta/.test(version);
  const ends = deprecated ?? (isPrerelease && introduced ? later(introduced) : undefined);
  if (ends === undefined || minorOf(ends) > minorOf(release)) return undefined;
  const gone = removed ?? (isPrerelease ? later(ends) : undefined);
  const [otherGroup, otherVersion, otherKind] = replacement?.split(',') ?? [];
  const name = (ofGroup: string | undefined, ofVersion: string | undefined) =>
    ofGroup ? `${ofGroup}/${ofVersion}` : ofVersion;
  return [
    `${name(group, version)} ${kind} is deprecated in v${ends}+`,
    gone ? `, unavailable in v${gone}+` : '',
    otherKind ? `; use ${name(otherGroup, otherVersion)} ${otherKind}` : '',
  ].join('');
}

const minorOf = (version: string) => Number(version.split('.')[1]);
const later = (version: string) => `1.${minorOf(version) + minorsOfGrace}`;
