import { createHash } from 'node:crypto';
import type { ServerContext } from '../context.ts';
import type { ResourceRegistry, ServedResource, ServedVersion } from '../registry.ts';
import { discoveredGroups, discoveryGeneration, type DiscoveredGroup, type DiscoveredVersion } from './groups.ts';

/** All resources in one document (KEP-3352), with the tag that says whether they changed. */
export interface AggregatedDocument {
  readonly value: { readonly kind: string; readonly apiVersion: string };
  /** As JSON. */
  readonly text: string;
  readonly etag: string;
}

interface Kept {
  readonly generation: string;
  readonly document: AggregatedDocument;
}

const kept = new WeakMap<ResourceRegistry, Map<boolean, Kept>>();

/** The document of /api (the core group) or of /apis (the others); made anew when what is served changed. */
export function aggregated(server: ServerContext, core: boolean): AggregatedDocument {
  const documents = kept.get(server.registry) ?? new Map<boolean, Kept>();
  kept.set(server.registry, documents);
  const generation = discoveryGeneration(server);
  const known = documents.get(core);
  if (known?.generation === generation) return known.document;
  const groups = discoveredGroups(server).filter(({ name }) => (name === '') === core);
  const value = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(groupDiscovery),
  };
  const text = `${JSON.stringify(value)}\n`;
  const etag = `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;
  const document = { value, text, etag };
  documents.set(core, { generation, document });
  return document;
}

function groupDiscovery({ name, versions, preferred }: DiscoveredGroup): unknown {
  const ordered = [...versions].sort((a, b) => Number(b.version === preferred) - Number(a.version === preferred));
  return { metadata: name ? { name } : {}, versions: ordered.map(versionOf) };
}

/** An extension server that is silent is told of as it was known last. */
function versionOf({ version, served, remote }: DiscoveredVersion): unknown {
  if (served) return versionDiscovery(served);
  const { resources } = remote?.discovery ?? {};
  const freshness = remote?.isCurrent ? 'Current' : 'Stale';
  return { version, ...(resources?.length ? { resources } : {}), freshness };
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
