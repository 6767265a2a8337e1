import { decodeJson, shapeOf } from '@kubernode/api';
import type { Destination } from '../outbound/destination.ts';
import type { ExtensionClient } from './extension-client.ts';

/** `APIVersionDiscovery` of apidiscovery.k8s.io/v2, but for its freshness. */
export interface VersionDiscovery {
  readonly version: string;
  readonly resources?: readonly object[];
}

const timeoutMs = 5_000;
const groupList = shapeOf('apidiscovery.k8s.io/v2.APIGroupDiscoveryList');
const resourceList = shapeOf('meta.k8s.io/v1.APIResourceList');
const aggregatedAccept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * What an extension server serves in a group version: from its aggregated document, or from the plain list where it has
 * no such document. Rejects where it does not answer, or what it answers is not of the documents' types: it becomes part of ours.
 */
export async function remoteDiscovery(
  client: ExtensionClient,
  to: Destination,
  group: string,
  version: string,
): Promise<VersionDiscovery> {
  const whole = await client.get(to, '/apis', { timeoutMs, accept: aggregatedAccept });
  if (whole.status === 503) throw new Error(`the service answered 503`);
  if (whole.status === 200 && String(whole.headers['content-type'] ?? '').includes('APIGroupDiscoveryList')) {
    const { items } = decodeJson(whole.body, groupList).object as unknown as AggregatedList;
    const own = items?.find(({ metadata }) => (metadata?.name ?? '') === group);
    const { resources } = own?.versions?.find((each) => each.version === version) ?? {};
    return resources ? { version, resources } : { version };
  }
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const { status, body } = await client.get(to, path, { timeoutMs });
  if (status !== 200) throw new Error(`failed to download legacy discovery for ${path}: ${status}`);
  const { resources } = decodeJson(body, resourceList).object as { resources?: readonly PlainResource[] | null };
  return { version, resources: converted(resources ?? []) };
}

interface AggregatedList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly VersionDiscovery[];
  }[];
}

interface PlainResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An APIResourceList's resources in the aggregated form, subresources below their resource. */
function converted(resources: readonly PlainResource[]): object[] {
  const kindOf = ({ group = '', version = '', kind }: PlainResource) => ({ group, version, kind });
  const of = new Map<string, Record<string, unknown> & { subresources: object[] }>();
  const entry = (name: string) => {
    const known = of.get(name) ?? { resource: name, subresources: [] };
    of.set(name, known);
    return known;
  };
  for (const resource of resources) {
    const [name = '', subresource] = resource.name.split('/');
    const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
    if (subresource !== undefined) {
      const parent = entry(name);
      parent['scope'] ??= scope;
      parent.subresources.push({ subresource, responseKind: kindOf(resource), verbs: resource.verbs ?? [] });
      continue;
    }
    Object.assign(entry(name), {
      responseKind: kindOf(resource),
      scope,
      singularResource: resource.singularName ?? '',
      verbs: resource.verbs ?? [],
      ...(resource.shortNames?.length ? { shortNames: resource.shortNames } : {}),
      ...(resource.categories?.length ? { categories: resource.categories } : {}),
    });
  }
  return [...of.values()].map(({ subresources, ...rest }) => ({
    ...rest,
    ...(subresources.length > 0 ? { subresources } : {}),
  }));
}
