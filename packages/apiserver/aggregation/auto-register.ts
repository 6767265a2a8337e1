import type { Transport } from '@kubernode/api';
import type { APIService } from '@kubernode/api/apiregistration/v1';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { silentLogger, type Clock, type Logger } from '@kubernode/machinery';
import { createOne, deleteOne, updateOne } from '../bootstrap/objects.ts';
import type { PostStartHook } from '../options.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ClusterState } from '../seams.ts';
import { apiServiceName } from './api-service.ts';
import { builtInPriorities } from './priorities.ts';

export interface AutoRegisterOptions {
  readonly clock: Clock;
  readonly log?: Logger | undefined;
  readonly state: () => ClusterState;
}

type Managed = 'onstart' | 'true';

interface Desired {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly managed: Managed;
}

const path = '/apis/apiregistration.k8s.io/v1/apiservices';
const label = 'kube-aggregator.kubernetes.io/automanaged';
/** Of all custom resources: their versions are then sorted by their names. */
const custom = { groupPriority: 1000, versionPriority: 100, managed: 'true' } as const;
const settleMs = 20;
const retryMs = 1_000;

/**
 * Keeps an APIService for everything that this server serves itself: of built-in group versions as it starts, of those of
 * custom resources whenever their definitions or the APIServices change. One without the label is its maker's.
 */
export function autoRegisterHook({ clock, log = silentLogger, state }: AutoRegisterOptions): PostStartHook {
  return {
    name: 'kube-apiserver-autoregistration',
    async run({ transport, registry, metrics, signal }) {
      const queue = metrics.workqueues.of('autoregister');
      const atStart = new Set(list(state()).map(({ metadata }) => metadata.name));
      await syncBuiltIn(state(), transport, registry, atStart);
      await syncCustom(state(), transport);
      let cancel: (() => void) | undefined;
      let isRunning = false;
      let isDirty = false;
      const schedule = (afterMs = settleMs) => {
        isDirty = true;
        if (isRunning || cancel || signal.aborted) return;
        queue.added();
        cancel = clock.after(afterMs, () => void sync());
      };
      const sync = async () => {
        cancel = undefined;
        queue.taken();
        isRunning = true;
        isDirty = false;
        let failed = false;
        try {
          await syncCustom(state(), transport);
        } catch (error) {
          failed = true;
          if (!signal.aborted) log.warn('API services could not be registered', { error: String(error) });
        }
        isRunning = false;
        if (failed || isDirty) schedule(failed ? retryMs : settleMs);
      };
      const stops = [
        state().onChange('apiextensions.k8s.io', 'customresourcedefinitions', () => schedule()),
        state().onChange('apiregistration.k8s.io', 'apiservices', ({ metadata }) => {
          if (metadata.labels?.[label] === 'true') schedule();
        }),
      ];
      const stop = () => {
        cancel?.();
        for (const each of stops) each();
      };
      signal.addEventListener('abort', stop, { once: true });
    },
  };
}

async function syncBuiltIn(
  state: ClusterState,
  transport: Transport,
  registry: ResourceRegistry,
  atStart: ReadonlySet<string>,
): Promise<void> {
  const desired = registry.groups.flatMap(({ group, versions }) =>
    [...versions.values()].flatMap(({ version, resources }): Desired[] => {
      if ([...resources.values()].some((resource) => resource.custom)) return [];
      const priorities = builtInPriorities(group, version);
      return priorities ? [{ group, version, ...priorities, managed: 'onstart' }] : [];
    }),
  );
  const names = new Set(desired.map(({ group, version }) => apiServiceName(group, version)));
  const left = list(state).filter(
    ({ metadata }) => metadata.labels?.[label] === 'onstart' && atStart.has(metadata.name) && !names.has(metadata.name),
  );
  await Promise.all([
    ...desired.map((each) => ensure(state, transport, each)),
    ...left.map((object) => deleteOne(transport, path, object)),
  ]);
}

async function syncCustom(state: ClusterState, transport: Transport): Promise<void> {
  const definitions = state.list(
    'apiextensions.k8s.io',
    'customresourcedefinitions',
  ) as unknown as readonly CustomResourceDefinition[];
  const desired = new Map<string, Desired>();
  for (const { spec } of definitions) {
    for (const { name: version, served } of spec.versions) {
      const { group } = spec;
      if (served) desired.set(apiServiceName(group, version), { group, version, ...custom });
    }
  }
  const left = list(state).filter(({ metadata }) => metadata.labels?.[label] === 'true' && !desired.has(metadata.name));
  await Promise.all([
    ...[...desired.values()].map((each) => ensure(state, transport, each)),
    ...left.map((object) => deleteOne(transport, path, object)),
  ]);
}

/** Creates it, or puts its spec back where it is one of ours. */
async function ensure(state: ClusterState, transport: Transport, desired: Desired): Promise<void> {
  const { group, version, groupPriority, versionPriority, managed } = desired;
  const name = apiServiceName(group, version);
  const spec = {
    ...(group ? { group } : {}),
    version,
    groupPriorityMinimum: groupPriority,
    versionPriority,
  };
  const known = state.get('apiregistration.k8s.io', 'apiservices', name) as APIService | undefined;
  if (!known) {
    const metadata = { name, labels: { [label]: managed } };
    return createOne(transport, path, { metadata, spec } as unknown as APIService);
  }
  if (known.metadata.labels?.[label] === undefined || isSame(known, desired)) return;
  const labels = { ...known.metadata.labels, [label]: managed };
  await updateOne(transport, path, { ...known, metadata: { ...known.metadata, labels }, spec } as APIService);
}

function isSame({ metadata, spec }: APIService, { groupPriority, versionPriority, managed }: Desired): boolean {
  return (
    metadata.labels?.[label] === managed &&
    spec?.service === undefined &&
    spec?.groupPriorityMinimum === groupPriority &&
    spec.versionPriority === versionPriority
  );
}

const list = (state: ClusterState) =>
  state.list('apiregistration.k8s.io', 'apiservices') as unknown as readonly APIService[];
