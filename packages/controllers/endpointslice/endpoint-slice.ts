import { Node, Pod, Service } from '@kubernode/api/core/v1';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import { controller, mapped, runController, type ReconcileContext, type ReconcileResult } from '@kubernode/client';
import type { BuiltInController } from '../built-in.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { selects, servicesOf } from '../shared/service-pods.ts';
import { TriggerTimes } from '../shared/trigger-times.ts';
import { endpointsOfService } from './endpoints-of-service.ts';
import { planSlices, type PortGroup } from './plan-slices.ts';
import { hasLabels, managedByLabel, serviceNameLabel, sliceLabels } from './slice-metadata.ts';
import { removeSlices, writeSlices, type SliceOwner } from './write-slices.ts';

const name = 'endpointslice-controller';
const managedBy = 'endpointslice-controller.k8s.io';
/** Upstream's `--max-endpoints-per-slice`. */
const endpointsMax = 100;
const unknownNodeRetryMs = 1_000;

/** Keeps the slices of each service that has a selector: its pods' addresses, and whether they are ready. */
export const endpointSliceController: BuiltInController = {
  name,
  start: (context) => runController(declaration(new TriggerTimes()), context),
};

function declaration(triggerTimes: TriggerTimes) {
  return controller<Service>({
    name,
    reconciles: Service,
    watches: [mapped(Pod, servicesOf), mapped(EndpointSlice, serviceOfSlice)],
    reads: [Node],
    writes: [EndpointSlice],
    onDeleted: true,
    async reconcile(service, context) {
      // The garbage collector removes the slices of a service that is gone.
      if (!service) return triggerTimes.forget(context.key);
      if (!service.spec.selector || service.spec.type === 'ExternalName') return;
      try {
        return await bringAbout(service, triggerTimes, context);
      } catch (error) {
        const message = `Error updating Endpoint Slices for Service ${context.key}: ${(error as Error).message}`;
        context.recorder.event(withKind(Service, service), 'Warning', 'FailedToUpdateEndpointSlices', message);
        throw error;
      }
    },
  });
}

function serviceOfSlice({ metadata }: EndpointSlice): string[] {
  const service = metadata.labels?.[serviceNameLabel];
  return service && metadata.labels?.[managedByLabel] === managedBy ? [`${metadata.namespace}/${service}`] : [];
}

async function bringAbout(
  service: Service,
  triggerTimes: TriggerTimes,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { namespace, informer, key } = context;
  const pods = informer(Pod)
    .list(namespace)
    .filter((pod) => selects(service, pod.metadata.labels));
  const slices = slicesOf(key, context);
  const families = service.spec.ipFamilies ?? ['IPv4'];
  const owner: SliceOwner = {
    reference: controllerReference(Service, service),
    generateName: `${service.metadata.name}-`,
    namespace,
    labels: sliceLabels(service, managedBy),
    triggerTime: triggerTimes.next(key, service, pods),
  };
  const gone = slices.filter(({ addressType }) => !(families as string[]).includes(addressType));
  await removeSlices(gone, context.client);
  let podsWithoutNode: readonly string[] = [];
  for (const family of families) {
    const existing = slices.filter(({ addressType }) => (addressType as string) === family);
    const desired = endpointsOfService(service, pods, family, (node) => informer(Node).get(node));
    podsWithoutNode = desired.podsWithoutNode;
    await writeSlices(planFor(existing, desired.groups, owner), family, owner, context.client);
  }
  // Pods may be seen before their node.
  return podsWithoutNode.length > 0 ? { requeueAfterMs: unknownNodeRetryMs } : undefined;
}

/** A service without any endpoint still has one slice of each family, empty: so consumers know it was looked at. */
function planFor(existing: readonly EndpointSlice[], groups: readonly PortGroup[], { labels }: SliceOwner) {
  const hasMetadata = (slice: EndpointSlice) => hasLabels(slice, labels);
  const plan = planSlices({ existing, groups, endpointsMax, hasMetadata });
  if (plan.create.length > 0 || plan.remove.length < existing.length) return plan;
  const [only, ...others] = plan.remove;
  const isEmpty = only && !only.endpoints?.length && !only.ports?.length;
  if (isEmpty && hasMetadata(only)) return { ...plan, remove: others };
  return { ...plan, create: [{ ports: [], endpoints: [] }] };
}

const byService = 'endpointslice-service';

function slicesOf(key: string, { informer }: ReconcileContext): readonly EndpointSlice[] {
  informer(EndpointSlice).addIndex(byService, serviceOfSlice);
  return informer(EndpointSlice)
    .byIndex(byService, key)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}
