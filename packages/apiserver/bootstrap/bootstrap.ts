import type { KubernetesObject, Transport } from '@kubernode/api';
import { formatTime, silentLogger, type Clock, type Logger } from '@kubernode/machinery';
import { autoRegisterHook } from '../aggregation/auto-register.ts';
import type { PostStartContext, PostStartHook } from '../options.ts';
import type { ClusterState } from '../seams.ts';
import {
  authenticationInfoName,
  onOtherAuthorities,
  publishAuthenticationInfo,
  type AuthenticationInfo,
} from './authentication-info.ts';
import { applyCondition } from './apply-condition.ts';
import { readBootstrapFacts, type BootstrapFacts } from './facts.ts';
import { ensureFlowControl, flowControlNames } from './flow-control.ts';
import { keep, type Kept } from './keep.ts';
import { defaultServiceCidr, type KubernetesServiceOptions } from './kubernetes-service.ts';
import { createMissing, createOne } from './objects.ts';
import {
  preparedObjects,
  preparedValues,
  readPrepared,
  type PreparedObjects,
  type PreparedTemplates,
} from './prepared.ts';
import { reconcileRbac } from './rbac.ts';
import { serviceHook, type EndpointOptions } from './service-hook.ts';

export interface BootstrapOptions extends KubernetesServiceOptions, EndpointOptions, AuthenticationInfo {
  readonly clock: Clock;
  readonly log?: Logger | undefined;
  readonly state: () => ClusterState;
  /** A configuration of admission may refuse or change any object: then each is made by a request. */
  readonly enableAdmissionPlugins?: readonly string[] | undefined;
  readonly admissionConfiguration?: object | undefined;
  /** Nothing is written as it was prepared: `prepare.ts` makes the prepared forms of what requests leave. */
  readonly withoutPrepared?: boolean | undefined;
}

const namespacesPath = '/api/v1/namespaces';
const flowSchemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses';

/** A hook's work: once at the start, and again whenever something of `kept` changes. */
interface Task {
  readonly name: string;
  /** The group of its objects, where --runtime-config may turn that off: then nothing is to be done. */
  readonly group?: string;
  readonly ensure: (transport: Transport, facts: BootstrapFacts, prepared: PreparedObjects) => Promise<void>;
  readonly kept?: (facts: BootstrapFacts) => readonly Kept[];
  /** Calls back when it is to be looked at again for other reasons. */
  readonly onChange?: (again: () => void) => void;
}

/**
 * Makes what a cluster cannot be without, and keeps it: namespaces, the RBAC policy, flow control, priority classes, API
 * services and the `kubernetes` Service. Each hook has upstream's name. The first makes the namespaces, without which the others
 * fail.
 */
export function bootstrapHooks(options: BootstrapOptions): PostStartHook[] {
  const facts = rememberedWeakly(readBootstrapFacts);
  const templates = rememberedWeakly(readPrepared);
  const run = async ({ ensure, kept, onChange }: Task, { transport, registry, signal }: PostStartContext) => {
    const ensureNow = async () => ensure(transport, await facts(), preparedObjects(registry, await templates()));
    await ensureNow();
    const { clock, log = silentLogger } = options;
    const failed = (error: unknown) =>
      log.warn('objects of the API server could not be kept', { error: String(error) });
    onChange?.(() => void ensureNow().catch(failed));
    if (kept) keep({ state: options.state(), clock, log, signal }, kept(await facts()), ensureNow);
  };
  const serviceCidr = serviceCidrMaker(options);
  const hooks = tasks(options, serviceCidr);
  return [
    ...hooks.map((task, index): PostStartHook => ({
      name: task.name,
      async run(context) {
        if (index === 0) await fillFresh(options, context, await templates());
        if (task.group === undefined || context.registry.group(task.group)) await run(task, context);
      },
    })),
    // The Service's address is of the range.
    serviceHook(options, serviceCidr),
    autoRegisterHook(options),
  ];
}

/** The store's first start: what requests would make one by one is written together. */
async function fillFresh(
  { state, clock, enableAdmissionPlugins, admissionConfiguration, withoutPrepared }: BootstrapOptions,
  { registry, writeStored, newUid }: PostStartContext,
  templates: PreparedTemplates,
): Promise<void> {
  const isPlain = !admissionConfiguration && !enableAdmissionPlugins?.length && !withoutPrepared;
  if (!writeStored || !isPlain || state().list('', 'namespaces').length > 0) return;
  await writeStored(preparedValues({ registry, newUid }, templates, clock.now()));
}

/** Reads what many need at the start once; whoever needs it later may have to read it again. */
function rememberedWeakly<T>(read: () => Promise<T>): () => Promise<T> {
  let known: WeakRef<Promise<T>> | undefined;
  return () => {
    const reading = known?.deref() ?? read();
    known = new WeakRef(reading);
    return reading;
  };
}

/** Two hooks at once make it once. */
function serviceCidrMaker(options: BootstrapOptions): (transport: Transport) => Promise<void> {
  let making: Promise<void> | undefined;
  return (transport) => {
    making ??= defaultServiceCidr(options.state(), transport, options).finally(() => {
      making = undefined;
    });
    return making;
  };
}

function tasks(options: BootstrapOptions, serviceCidr: (transport: Transport) => Promise<void>): Task[] {
  const { state } = options;
  return [
    {
      name: 'start-system-namespaces-controller',
      ensure: (transport, facts) => createNamespaces(state(), transport, facts),
      kept: (facts) => [kept('', 'namespaces', namesOf(facts, namespacesPath))],
    },
    {
      name: 'start-cluster-authentication-info-controller',
      ensure: (transport) => publishAuthenticationInfo(options, state(), transport),
      kept: () => [kept('', 'configmaps', [authenticationInfoName], 'kube-system')],
      onChange: (again) => onOtherAuthorities(options, again),
    },
    {
      name: 'start-legacy-token-tracking-controller',
      ensure: (transport) => trackTokens(options, transport),
      kept: () => [kept('', 'configmaps', [tokenTracking], 'kube-system')],
    },
    {
      name: 'rbac/bootstrap-roles',
      group: 'rbac.authorization.k8s.io',
      ensure: (transport, facts, prepared) => reconcileRbac(state(), transport, facts, prepared),
    },
    {
      name: 'scheduling/bootstrap-system-priority-classes',
      group: 'scheduling.k8s.io',
      ensure: (transport, facts) => createMissing(state(), transport, described(facts), [priorityClasses]),
    },
    {
      name: 'priority-and-fairness-config-producer',
      group: 'flowcontrol.apiserver.k8s.io',
      async ensure(transport, facts, prepared) {
        await ensureFlowControl(state(), transport, facts, prepared);
        await flowSchemasFound(options, transport, facts, prepared);
      },
      kept: (facts) =>
        [...flowControlNames(facts)].map(([resource, names]) => kept('flowcontrol.apiserver.k8s.io', resource, names)),
    },
    {
      name: 'start-kubernetes-service-cidr-controller',
      ensure: (transport) => serviceCidr(transport),
      kept: () => [kept('networking.k8s.io', 'servicecidrs', ['kubernetes'])],
    },
  ];
}

const kept = (group: string, resource: string, names: Iterable<string>, namespace?: string): Kept => ({
  group,
  resource,
  names: new Set(names),
  namespace,
});

const namesOf = (facts: BootstrapFacts, path: string) => (facts[path] ?? []).map(({ metadata }) => metadata.name);

/** What the server fills in by itself is not said, so that nobody owns it. */
function createNamespaces(state: ClusterState, transport: Transport, facts: BootstrapFacts): Promise<void> {
  const plain = (facts[namespacesPath] ?? []).map(({ metadata }) => ({ metadata }) as KubernetesObject);
  return createMissing(state, transport, { [namespacesPath]: plain }, [namespacesPath]);
}

/** What the facts leave out. */
function described(facts: BootstrapFacts): BootstrapFacts {
  const classes = (facts[priorityClasses] ?? []).map((object) => {
    const description = descriptions[object.metadata.name];
    return description ? { description, ...object } : object;
  });
  return { [priorityClasses]: classes };
}

const descriptions: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

const tokenTracking = 'kube-apiserver-legacy-service-account-token-tracking';

/** Since when the use of old-style tokens is tracked (KEP-2799). A date that cannot be read is made anew. */
async function trackTokens({ state, clock }: BootstrapOptions, transport: Transport): Promise<void> {
  const metadata = { name: tokenTracking, namespace: 'kube-system' };
  const known = state().get('', 'configmaps', metadata.name, metadata.namespace) as
    | (KubernetesObject & { data?: { since?: string } })
    | undefined;
  const data = { since: formatTime(clock.now()).slice(0, 10) };
  if (!known) return createOne(transport, '/api/v1/configmaps', { metadata, data } as unknown as KubernetesObject);
  if (/^\d{4}-\d\d-\d\d$/.test(known.data?.since ?? '')) return;
  await transport.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/kube-system/configmaps/${tokenTracking}`,
    contentType: 'application/merge-patch+json',
    query: { fieldManager: 'kube-apiserver' },
    body: { data },
  });
}

/** Every flow schema of the facts refers to a priority level that is there. */
async function flowSchemasFound(
  options: BootstrapOptions,
  transport: Transport,
  facts: BootstrapFacts,
  prepared: PreparedObjects,
): Promise<void> {
  const lastTransitionTime = formatTime(options.clock.now());
  const writes = (facts[flowSchemas] ?? []).map(async ({ metadata: { name }, ...rest }) => {
    if (prepared.has(flowSchemas, { name })) return;
    const known = options.state().get('flowcontrol.apiserver.k8s.io', 'flowschemas', name) as
      | { status?: { conditions?: object[] } }
      | undefined;
    if (known?.status?.conditions?.length) return;
    const { spec } = rest as unknown as { spec: { priorityLevelConfiguration: { name: string } } };
    const level = JSON.stringify(spec.priorityLevelConfiguration.name);
    const message = `This FlowSchema references the PriorityLevelConfiguration object named ${level} and it exists`;
    const object = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name } };
    const condition = { type: 'Dangling', status: 'False', reason: 'Found', message, lastTransitionTime };
    await applyCondition(
      transport,
      `${flowSchemas}/${name}`,
      object,
      condition,
      'api-priority-and-fairness-config-consumer-v1',
    );
  });
  await Promise.all(writes);
}
