import type { ServedResource, ServedVersion } from '../registry.ts';
import type { DiscoveredGroup } from './groups.ts';

/** What /api, /apis and the paths of groups and versions answer. */
export function apiVersions(serverAddress: string): unknown {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

export function groupList(groups: readonly DiscoveredGroup[]): unknown {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '').map(groupOf) };
}

export function apiGroup(group: DiscoveredGroup): unknown {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
}

function groupOf({ name, versions, preferred }: DiscoveredGroup) {
  const named = (version: string) => ({ groupVersion: `${name}/${version}`, version });
  return { name, versions: versions.map(({ version }) => named(version)), preferredVersion: named(preferred) };
}

export function resourceList(group: string, { version, resources }: ServedVersion): unknown {
  return {
    kind: 'APIResourceList',
    ...(group ? { apiVersion: 'v1' } : {}),
    groupVersion: group ? `${group}/${version}` : version,
    resources: [...resources.values()].flatMap(entriesOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function entriesOf({ info, namespaced }: ServedResource): { name: string }[] {
  const main = {
    name: info.plural,
    singularName: info.singular,
    namespaced,
    kind: info.kind.kind,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(info.storageVersionHash ? { storageVersionHash: info.storageVersionHash } : {}),
  };
  const subresources = info.subresources.map(({ name, kind, verbs, group, version }) => ({
    name: `${info.plural}/${name}`,
    singularName: '',
    namespaced,
    ...(group === undefined ? {} : { group, version }),
    kind,
    verbs,
  }));
  return info.verbs.length > 0 ? [main, ...subresources] : subresources;
}
