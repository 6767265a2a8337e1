/** The objects of the kill test: every write of one carries a number, in two places, so that half a write would show. */

export interface Resource {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** What differs from kind to kind, for the write of this number. */
  readonly content: (n: number, index: number) => object;
  /** Its content is not changed after its creation. */
  readonly isFixed?: boolean;
  /** Where the status keeps a number of its own; none where there is no such subresource. */
  readonly statusField?: string;
}

const payloadBytesMax = 60_000;

export const resources: readonly Resource[] = [
  {
    plural: 'configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    // Large ones fill the log of the database, so that it is copied into the file now and then.
    content: (n, index) => ({ data: { payload: `${n} `.repeat(index === 0 ? payloadBytesMax / 8 : 20) } }),
  },
  {
    plural: 'pods',
    apiVersion: 'v1',
    kind: 'Pod',
    content: () => ({ spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } }),
    isFixed: true,
    statusField: 'message',
  },
  {
    plural: 'services',
    apiVersion: 'v1',
    kind: 'Service',
    content: (_, index) => ({ spec: { type: index % 2 ? 'NodePort' : 'ClusterIP', ports: [{ port: 80 }] } }),
    isFixed: true,
  },
  {
    plural: 'leases',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    content: (n) => ({ spec: { holderIdentity: String(n), leaseDurationSeconds: 15 } }),
  },
  {
    plural: 'widgets',
    apiVersion: 'kill.example.com/v1',
    kind: 'Widget',
    content: (n) => ({ spec: { size: n } }),
    statusField: 'note',
  },
];

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.kill.example.com' },
  spec: {
    group: 'kill.example.com',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

export interface Thing {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
  };
  status?: Record<string, unknown>;
  data?: { payload: string };
  spec?: { clusterIP?: string; ports?: { nodePort?: number }[]; parentRef?: { namespace: string; name: string } };
}

/** A whole object for the write of this number. */
export function make({ apiVersion, kind, content }: Resource, name: string, n: number): object {
  const index = Number(name.slice(1));
  const labels = { tier: tierOf(name), half: String(n) };
  return { apiVersion, kind, metadata: { name, labels, annotations: { n: String(n) } }, ...content(n, index) };
}

/** The changes that another number makes. */
export function change({ content, isFixed }: Resource, name: string, n: number): object {
  const metadata = { labels: { half: String(n) }, annotations: { n: String(n) } };
  return { metadata, ...(isFixed ? {} : content(n, Number(name.slice(1)))) };
}

/** What a selector tells apart; it never changes for an object. */
export const tierOf = (name: string): string => (Number(name.slice(1)) % 2 ? 'odd' : 'even');

export function collectionPath({ apiVersion, plural }: Resource, namespace = ''): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

export const keyOf = ({ metadata }: Thing): string => `${metadata.namespace}/${metadata.name}`;
