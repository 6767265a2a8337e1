import { kind, type Kind, type KubernetesObject } from '@kubernode/api';
import type { Client } from '@kubernode/client';

/** A resource that the server serves, as discovery tells. */
export interface DiscoveredResource {
  readonly kind: Kind<KubernetesObject>;
  readonly verbs: readonly string[];
}

export interface Discovery {
  /** One version of each resource: the one that its group prefers, or the first that has it. */
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that did not answer, as one does whose extension server is down. */
  readonly failed: readonly string[];
}

interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** All resources; subresources are left out. Throws where the list of groups itself cannot be read. */
export async function discover(client: Client): Promise<Discovery> {
  const groups = await groupsOf(client);
  const failed: string[] = [];
  const lists = await Promise.all(
    groups.flatMap(({ group, versions }) =>
      versions.map(async (version) => {
        const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
        try {
          const { resources = [] } = await client.request<{ resources?: ApiResource[] }>({ method: 'GET', path });
          return resources.filter(({ name }) => !name.includes('/')).map((one) => discovered(group, version, one));
        } catch {
          failed.push(group ? `${group}/${version}` : version);
          return [];
        }
      }),
    ),
  );
  const preferred = new Map<string, DiscoveredResource>();
  for (const resource of lists.flat()) {
    const id = `${resource.kind.group}/${resource.kind.plural}`;
    if (!preferred.has(id)) preferred.set(id, resource);
  }
  return { resources: [...preferred.values()], failed };
}

async function groupsOf(client: Client): Promise<GroupVersions[]> {
  interface Group {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }
  const [core, { groups = [] }] = await Promise.all([
    client.request<{ versions?: string[] }>({ method: 'GET', path: '/api' }),
    client.request<{ groups?: Group[] }>({ method: 'GET', path: '/apis' }),
  ]);
  const named = groups.map(({ name, versions, preferredVersion }) => {
    const all = versions.map(({ version }) => version);
    const first = preferredVersion?.version;
    return { group: name, versions: first ? [first, ...all.filter((version) => version !== first)] : all };
  });
  return [{ group: '', versions: core.versions ?? [] }, ...named];
}

function discovered(group: string, version: string, resource: ApiResource): DiscoveredResource {
  const { name, namespaced, verbs } = resource;
  return { kind: kind({ group, version, kind: resource.kind, plural: name, namespaced }), verbs };
}
