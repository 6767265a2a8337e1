import { Endpoints, Service } from '@kubernode/api/core/v1';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import { controller, mapped, type ReconcileContext } from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import { planSlices } from '../endpointslice/plan-slices.ts';
import { managedByLabel, serviceNameLabel, triggerTimeAnnotation } from '../endpointslice/slice-metadata.ts';
import { removeSlices, writeSlices, type SliceOwner } from '../endpointslice/write-slices.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { addressesPerSubsetMax, hasTooMany, mirroredGroups, shouldMirror } from './mirrored.ts';

const managedBy = 'endpointslicemirroring-controller.k8s.io';
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
const families = ['IPv4', 'IPv6'];

/** Gives hand-made Endpoints of services without a selector their slices, as only slices are read by proxies. */
export const endpointSliceMirroringController = controller<Endpoints>({
  name: 'endpointslicemirroring-controller',
  reconciles: Endpoints,
  watches: [
    mapped(Service, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]),
    mapped(EndpointSlice, endpointsOfSlice),
  ],
  writes: [EndpointSlice],
  onDeleted: true,
  async reconcile(endpoints, context) {
    const { name, namespace, informer, client, key } = context;
    const slices = slicesOf(key, context);
    if (!endpoints || !shouldMirror(endpoints, informer(Service).get(name, namespace))) {
      return removeSlices(slices, client);
    }
    const object = withKind(Endpoints, endpoints);
    if (hasTooMany(endpoints)) {
      const message =
        `A max of ${addressesPerSubsetMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
        `Some addresses were skipped`;
      context.recorder.event(object, 'Warning', 'TooManyAddressesToMirror', message);
    }
    try {
      await mirror(endpoints, slices, context);
    } catch (error) {
      const message = `Error mirroring EndpointSlices for Endpoints ${key}: ${(error as Error).message}`;
      context.recorder.event(object, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  },
});

function endpointsOfSlice({ metadata }: EndpointSlice): string[] {
  const service = metadata.labels?.[serviceNameLabel];
  return service && metadata.labels?.[managedByLabel] === managedBy ? [`${metadata.namespace}/${service}`] : [];
}

const byEndpoints = 'endpointslice-mirrored';

function slicesOf(key: string, { informer }: ReconcileContext): readonly EndpointSlice[] {
  informer(EndpointSlice).addIndex(byEndpoints, endpointsOfSlice);
  return informer(EndpointSlice).byIndex(byEndpoints, key);
}

function ownerOf(endpoints: Endpoints, { name, namespace }: ReconcileContext): SliceOwner {
  const { labels, annotations = {} } = endpoints.metadata;
  const { [triggerTimeAnnotation]: triggerTime, [lastAppliedAnnotation]: _, ...kept } = annotations;
  return {
    reference: controllerReference(Endpoints, endpoints),
    generateName: `${name}-`,
    namespace,
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedBy },
    annotations: kept,
    triggerTime,
  };
}

async function mirror(
  endpoints: Endpoints,
  slices: readonly EndpointSlice[],
  context: ReconcileContext,
): Promise<void> {
  const owner = ownerOf(endpoints, context);
  const hasMetadata = ({ metadata }: EndpointSlice) => {
    const { [triggerTimeAnnotation]: _, ...annotations } = metadata.annotations ?? {};
    return deepEqual(metadata.labels ?? {}, owner.labels) && deepEqual(annotations, owner.annotations ?? {});
  };
  for (const family of families) {
    const existing = slices.filter(({ addressType }) => (addressType as string) === family);
    const groups = mirroredGroups(endpoints, family);
    const plan = planSlices({ existing, groups, endpointsMax: addressesPerSubsetMax, hasMetadata });
    await writeSlices(plan, family, owner, context.client);
  }
}
