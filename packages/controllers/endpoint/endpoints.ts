import { isReason } from '@kubernode/api';
import { Endpoints, Pod, Service, type EndpointSubset } from '@kubernode/api/core/v1';
import { controller, mapped, runController, type ReconcileContext, type WatchContext } from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import type { BuiltInController } from '../built-in.ts';
import { headlessLabel, withTriggerTime } from '../endpointslice/slice-metadata.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { withKind } from '../shared/owner-reference.ts';
import { isHeadless, selects, servicesOf } from '../shared/service-pods.ts';
import { TriggerTimes } from '../shared/trigger-times.ts';
import { canonical, subsetsOfService, truncated } from './subsets.ts';

const name = 'endpoint-controller';
const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/** Keeps the Endpoints of each service that has a selector: deprecated, and still read by many. */
export const endpointsController: BuiltInController = {
  name,
  start: (context) => runController(declaration(new TriggerTimes()), context),
};

function declaration(triggerTimes: TriggerTimes) {
  return controller<Service>({
    name,
    reconciles: Service,
    watches: [mapped(Pod, servicesOf), mapped(Endpoints, serviceOfDeleted)],
    writes: [Endpoints],
    onDeleted: true,
    async reconcile(service, context) {
      if (!service) {
        triggerTimes.forget(context.key);
        return remove(context);
      }
      if (!service.spec.selector || service.spec.type === 'ExternalName') return;
      await bringAbout(service, triggerTimes, context);
    },
  });
}

/** Only what was deleted is due again: the Endpoints of others are not this controller's. */
function serviceOfDeleted({ metadata }: Endpoints, { informer }: WatchContext): string[] {
  const { name, namespace } = metadata;
  return informer(Endpoints).get(name, namespace) ? [] : [`${namespace}/${name}`];
}

async function remove({ client, name, namespace, informer }: ReconcileContext): Promise<void> {
  if (!informer(Endpoints).get(name, namespace)) return;
  await client.delete(Endpoints, { name, namespace }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}

async function bringAbout(service: Service, triggerTimes: TriggerTimes, context: ReconcileContext): Promise<void> {
  const { informer, name, namespace, key } = context;
  const pods = informer(Pod)
    .list(namespace)
    .filter((pod) => selects(service, pod.metadata.labels));
  const triggerTime = triggerTimes.next(key, service, pods);
  const { subsets, isTruncated } = truncated(subsetsOfService(service, pods));
  const present = informer(Endpoints).get(name, namespace);
  const labels = labelsFor(service);
  if (present && isAsWanted(present, subsets, labels, isTruncated)) return;
  const { [overCapacityAnnotation]: _, ...others } = withTriggerTime(present?.metadata.annotations, triggerTime);
  const annotations = isTruncated ? { ...others, [overCapacityAnnotation]: 'truncated' } : others;
  await write(
    service,
    present,
    { metadata: { ...present?.metadata, name, namespace, labels, annotations }, subsets },
    context,
  );
}

function labelsFor(service: Service): Record<string, string> {
  const { [headlessLabel]: _, ...own } = service.metadata.labels ?? {};
  return { ...own, ...(isHeadless(service) ? { [headlessLabel]: '' } : {}), [managedByLabel]: name };
}

function isAsWanted(
  { metadata, subsets: present }: Endpoints,
  subsets: readonly EndpointSubset[],
  labels: Record<string, string>,
  isTruncated: boolean,
): boolean {
  const text = (list: readonly EndpointSubset[] = []) => list.map((subset) => JSON.stringify(canonical(subset)));
  return (
    deepEqual(metadata.labels ?? {}, labels) &&
    (metadata.annotations?.[overCapacityAnnotation] !== undefined) === isTruncated &&
    deepEqual(text(present).toSorted(), text(subsets).toSorted())
  );
}

async function write(
  service: Service,
  present: Endpoints | undefined,
  endpoints: Parameters<typeof endpointsDraft>[0],
  { client, recorder, key }: ReconcileContext,
): Promise<void> {
  const draft = endpointsDraft(endpoints);
  try {
    await (present ? client.update(Endpoints, draft) : client.create(Endpoints, draft));
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    const { message } = error as Error;
    if (!isReason(error, 'Conflict')) {
      const [reason, text] = present
        ? ['FailedToUpdateEndpoint', `Failed to update endpoint ${key}: ${message}`]
        : ['FailedToCreateEndpoint', `Failed to create endpoint for service ${key}: ${message}`];
      recorder.event(present ? withKind(Endpoints, present) : withKind(Service, service), 'Warning', reason, text);
    }
    throw error;
  }
}

const endpointsDraft = (draft: Pick<Endpoints, 'subsets'> & { metadata: Partial<Endpoints['metadata']> }) => draft;
