import type { Client } from '@kubernode/client';
import { UserError } from '../terminal/user-error.ts';

/** One document of a YAML file of objects. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Server-side apply of any kind that the server knows, as discovery tells. */
export async function applyManifest(client: Client, manifest: Manifest, defaultNamespace: string): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = await client.request<ResourceList>({ method: 'GET', path: base });
  const resource = resources.find((candidate) => candidate.kind === kind && !candidate.name.includes('/'));
  if (!resource) throw new UserError(`The server does not know the kind ${kind} of ${apiVersion}.`);
  const scope = resource.namespaced ? `/namespaces/${metadata.namespace ?? defaultNamespace}` : '';
  await client.request({
    method: 'PATCH',
    path: `${base}${scope}/${resource.name}/${metadata.name}`,
    query: { fieldManager: 'kubernode', force: true },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
}
