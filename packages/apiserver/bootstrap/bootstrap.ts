import { isReason, type KubernetesObject, type Transport } from '@kubernode/api';
import { formatTime, type Clock } from '@kubernode/machinery';
import type { RequestHeaderOptions } from '../authentication/request-header.ts';
import type { PostStartHook } from '../options.ts';
import type { ClusterState } from '../seams.ts';
import { applyCondition } from './apply-condition.ts';
import { asServer, readBootstrapFacts, type BootstrapFacts } from './facts.ts';
import { kubernetesService, type KubernetesServiceOptions } from './kubernetes-service.ts';

export interface BootstrapOptions extends KubernetesServiceOptions {
  readonly clock: Clock;
  readonly state: () => ClusterState;
  /** PEM of the authorities of client certificates and of front proxies, told to extension API servers. */
  readonly clientCa?: string | undefined;
  readonly requestHeader?: RequestHeaderOptions | undefined;
}

/** Collections whose objects are in a namespace, which must be there before. */
const namespaced = new Set(['roles', 'rolebindings']);
/** Made with the values of this cluster, by `kubernetesService` or by the allocator of addresses. */
const ofThisCluster = new Set(['services', 'servicecidrs', 'ipaddresses']);

/**
 * Makes what a cluster cannot be without: namespaces, the RBAC policy, flow control, priority classes, API services and
 * the `kubernetes` Service. Only what misses is written, everything at once: what stands stays as its owner made it.
 */
export function bootstrapHook(options: BootstrapOptions): PostStartHook {
  return {
    name: 'bootstrap',
    async run({ transport }) {
      const facts = await readBootstrapFacts();
      const cluster = Object.keys(facts).filter(
        (path) => !namespaced.has(pluralOf(path)) && !ofThisCluster.has(pluralOf(path)),
      );
      await createMissing(options.state(), transport, facts, cluster);
      const inNamespaces = Object.keys(facts).filter((path) => namespaced.has(pluralOf(path)));
      await Promise.all([
        createMissing(options.state(), transport, facts, inNamespaces),
        kubernetesService(options.state(), transport, options),
        trustConfigMap(options, transport),
        tokenTrackingConfigMap(options, transport),
        flowSchemasFound(options, transport, facts),
        apiServicesAvailable(options, transport, facts),
      ]);
    },
  };
}

const pluralOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const groupOf = (path: string): string => (path.startsWith('/apis/') ? path.split('/')[2]! : '');

async function createMissing(
  state: ClusterState,
  transport: Transport,
  facts: BootstrapFacts,
  paths: readonly string[],
): Promise<void> {
  const writes = paths.flatMap((path) =>
    (facts[path] ?? [])
      .filter(({ metadata }) => !state.get(groupOf(path), pluralOf(path), metadata.name, metadata.namespace))
      .map((object) => createOne(transport, path, object)),
  );
  await Promise.all(writes);
}

const asFlowControl = { fieldManager: 'api-priority-and-fairness-config-producer-v1' } as const;

/** What the server fills in by itself is not said, so that nobody owns it; what the facts leave out is. */
function createdFrom(path: string, object: KubernetesObject): object {
  if (pluralOf(path) === 'namespaces') return { metadata: object.metadata };
  const description = descriptions[object.metadata.name ?? ''];
  return pluralOf(path) === 'priorityclasses' && description ? { description, ...object } : object;
}

const descriptions: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/** Another server that starts at the same time may have been faster. */
async function createOne(transport: Transport, path: string, object: KubernetesObject): Promise<void> {
  const { namespace } = object.metadata;
  const parts = path.split('/');
  if (namespace) parts.splice(-1, 0, 'namespaces', namespace);
  try {
    const query = path.startsWith('/apis/flowcontrol') ? asFlowControl : asServer;
    await transport.request({ method: 'POST', query, path: parts.join('/'), body: createdFrom(path, object) });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
}

/** Since when the use of old-style tokens is tracked (KEP-2799): kube-apiserver-legacy-service-account-token-tracking. */
async function tokenTrackingConfigMap({ state, clock }: BootstrapOptions, transport: Transport): Promise<void> {
  const metadata = { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' };
  if (state().get('', 'configmaps', metadata.name, metadata.namespace)) return;
  const data = { since: formatTime(clock.now()).slice(0, 10) };
  await createOne(transport, '/api/v1/configmaps', { metadata, data } as unknown as KubernetesObject);
}

/** Every flow schema of the facts refers to a priority level that is there. */
async function flowSchemasFound(options: BootstrapOptions, transport: Transport, facts: BootstrapFacts): Promise<void> {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  await addConditions(options, transport, facts, path, 'api-priority-and-fairness-config-consumer-v1', ({ spec }) => {
    const level = (spec as { priorityLevelConfiguration: { name: string } }).priorityLevelConfiguration.name;
    const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} and it exists`;
    return { type: 'Dangling', status: 'False', reason: 'Found', message };
  });
}

/** Built-in groups are always there: upstream's aggregator says so in the status of their API services. */
async function apiServicesAvailable(options: BootstrapOptions, transport: Transport, facts: BootstrapFacts) {
  const message = 'Local APIServices are always available';
  const available = { type: 'Available', status: 'True', reason: 'Local', message };
  await addConditions(
    options,
    transport,
    facts,
    '/apis/apiregistration.k8s.io/v1/apiservices',
    'kube-apiserver',
    () => available,
  );
}

const kinds: Readonly<Record<string, string>> = { flowschemas: 'FlowSchema', apiservices: 'APIService' };

const typeOf = (path: string) => ({
  apiVersion: path.split('/').slice(2, 4).join('/'),
  kind: kinds[pluralOf(path)] ?? '',
});

/** Gives each object of a collection that has no conditions in its status its first one. */
async function addConditions(
  { state, clock }: BootstrapOptions,
  transport: Transport,
  facts: BootstrapFacts,
  path: string,
  manager: string,
  conditionOf: (object: { readonly spec?: unknown }) => object,
): Promise<void> {
  const lastTransitionTime = formatTime(clock.now());
  const writes = (facts[path] ?? []).map(async (object) => {
    const { name } = object.metadata;
    const known = state().get(groupOf(path), pluralOf(path), name) as
      | { status?: { conditions?: object[] } }
      | undefined;
    if (known?.status?.conditions?.length) return;
    const condition = { ...conditionOf(object as { spec?: unknown }), lastTransitionTime };
    await applyCondition(transport, `${path}/${name}`, { ...typeOf(path), metadata: { name } }, condition, manager);
  });
  await Promise.all(writes);
}

/** Tells extension API servers whom to trust: kube-system/extension-apiserver-authentication. */
async function trustConfigMap(options: BootstrapOptions, transport: Transport): Promise<void> {
  const { clientCa, requestHeader, state } = options;
  if (!clientCa && !requestHeader) return;
  const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
  const data = {
    ...(clientCa ? { 'client-ca-file': clientCa } : {}),
    ...(requestHeader
      ? {
          'requestheader-client-ca-file': requestHeader.clientCa,
          'requestheader-allowed-names': JSON.stringify(requestHeader.allowedNames),
          'requestheader-extra-headers-prefix': JSON.stringify(requestHeader.extraHeaderPrefixes),
          'requestheader-group-headers': JSON.stringify(requestHeader.groupHeaders),
          'requestheader-uid-headers': JSON.stringify(requestHeader.uidHeaders),
          'requestheader-username-headers': JSON.stringify(requestHeader.usernameHeaders),
        }
      : {}),
  };
  const path = '/api/v1/namespaces/kube-system/configmaps';
  const known = state().get('', 'configmaps', metadata.name, metadata.namespace) as { data?: object } | undefined;
  if (!known) return createOne(transport, '/api/v1/configmaps', { metadata, data } as unknown as KubernetesObject);
  if (JSON.stringify(known.data) === JSON.stringify(data)) return;
  const contentType = 'application/merge-patch+json';
  await transport.request({
    method: 'PATCH',
    query: asServer,
    path: `${path}/${metadata.name}`,
    contentType,
    body: { data },
  });
}
