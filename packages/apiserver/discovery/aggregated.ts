import { createHash } from 'node:crypto';
import type { ResourceRegistry, ServedGroup, ServedResource, ServedVersion } from '../registry.ts';

export const aggregatedContentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All resources in one document (KEP-3352), with the tag that says whether they changed. */
export interface AggregatedDocument {
  readonly text: string;
  readonly etag: string;
}

interface Kept {
  readonly generation: number;
  readonly document: AggregatedDocument;
}

const kept = new WeakMap<ResourceRegistry, Map<boolean, Kept>>();

/** The document of /api (the core group) or of /apis (the others); made anew when the registry changed. */
export function aggregated(registry: ResourceRegistry, core: boolean): AggregatedDocument {
  const documents = kept.get(registry) ?? new Map<boolean, Kept>();
  kept.set(registry, documents);
  const known = documents.get(core);
  if (known?.generation === registry.generation) return known.document;
  const groups = registry.groups.filter(({ group }) => (group === '') === core);
  const list = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(groupDiscovery),
  };
  const text = `${JSON.stringify(list)}\n`;
  const document = { text, etag: `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"` };
  documents.set(core, { generation: registry.generation, document });
  return document;
}

function groupDiscovery({ group, versions, preferred }: ServedGroup): unknown {
  const ordered = [...versions.values()].sort(
    (a, b) => Number(b.version === preferred) - Number(a.version === preferred),
  );
  return {
    metadata: group ? { name: group } : {},
    versions: ordered.map(versionDiscovery),
  };
}

function versionDiscovery({ version, resources }: ServedVersion): unknown {
  const sorted = [...resources.values()].sort((a, b) => (a.plural < b.plural ? -1 : 1));
  return { version, resources: sorted.map(resourceDiscovery), freshness: 'Current' };
}

function resourceDiscovery({ info, namespaced }: ServedResource): unknown {
  const subresources = info.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      group: subresource.group ?? '',
      version: subresource.version ?? '',
      kind: subresource.kind,
    },
    verbs: subresource.verbs,
  }));
  return {
    resource: info.plural,
    // Empty: those of the list that it stands in.
    responseKind: { group: '', version: '', kind: info.kind.kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
