import { compareVersions } from '../customresources/version-order.ts';
import type { ServerContext } from '../context.ts';
import type { Aggregation, RemoteVersion } from '../aggregation/aggregation.ts';
import type { ServedVersion } from '../registry.ts';

/** A group as discovery tells of it: what is served here, and what extension servers serve. */
export interface DiscoveredGroup {
  /** '' is the core group. */
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly DiscoveredVersion[];
  /** In the order in which /apis lists them, which is not that of preference. */
  readonly preferred: string;
}

export interface DiscoveredVersion {
  readonly version: string;
  /** Undefined where it is an extension server's. */
  readonly served?: ServedVersion | undefined;
  readonly remote?: RemoteVersion | undefined;
}

/** Changes when what `discoveredGroups` answers does. */
export const discoveryGeneration = ({ registry, aggregation }: ServerContext): string =>
  `${registry.generation}.${aggregation.generation}`;

/** All groups in discovery's order: by the priorities of their APIServices, as soon as there are extension servers. */
export function discoveredGroups({ registry, aggregation }: ServerContext): DiscoveredGroup[] {
  const groups = new Map<string, DiscoveredGroup>();
  for (const { group, versions, preferred } of registry.groups) {
    const served = [...versions.values()].map((each) => ({ version: each.version, served: each }));
    groups.set(group, { name: group, versions: served, preferred });
  }
  const { remotes } = aggregation;
  if (remotes.length === 0) return [...groups.values()];
  for (const [name, own] of Map.groupBy(remotes, ({ group }) => group)) {
    const remote = own.map((each): DiscoveredVersion => ({ version: each.version, remote: each }));
    const local = groups.get(name)?.versions ?? [];
    const missing = remote.filter(({ version }) => !local.some((each) => each.version === version));
    const versions = [...local, ...missing].sort(byPriority(name, aggregation));
    groups.set(name, { name, versions, preferred: versions[0]?.version ?? '' });
  }
  return [...groups.values()].sort(
    (a, b) => aggregation.groupPriority(b.name) - aggregation.groupPriority(a.name) || (a.name < b.name ? -1 : 1),
  );
}

function byPriority(group: string, aggregation: Aggregation) {
  return (a: DiscoveredVersion, b: DiscoveredVersion) =>
    aggregation.versionPriority(group, b.version) - aggregation.versionPriority(group, a.version) ||
    compareVersions(a.version, b.version);
}
