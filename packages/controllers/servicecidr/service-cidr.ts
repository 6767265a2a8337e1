import { IPAddress, ServiceCIDR } from '@kubernode/api/networking/v1';
import { controller, mapped, status, type Client } from '@kubernode/client';
import { formatTime } from '@kubernode/machinery';
import { addressesOf, contains, isHeldUp, overlaps } from './ranges.ts';

const finalizer = 'networking.k8s.io/service-cidr-finalizer';
const fieldManager = 'service-cidr-controller';
/** So that API servers stop giving out addresses before the range goes. */
const deletionGraceMs = 10_000;

const stillUsed =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

/** Says when a range of service addresses can be used, and keeps it as long as addresses are of it alone (KEP-1880). */
export const serviceCidrController = controller<ServiceCIDR>({
  name: 'service-cidr-controller',
  reconciles: ServiceCIDR,
  watches: [
    mapped(IPAddress, ({ metadata }, { informer }) =>
      informer(ServiceCIDR)
        .list()
        .filter((serviceCidr) => contains(serviceCidr, metadata.name))
        .map((serviceCidr) => serviceCidr.metadata.name),
    ),
    // A new range may take over the addresses of one that is to go.
    mapped(ServiceCIDR, (changed, { informer }) =>
      informer(ServiceCIDR)
        .list()
        .filter((serviceCidr) => overlaps(serviceCidr, changed))
        .map((serviceCidr) => serviceCidr.metadata.name),
    ),
  ],
  writes: [ServiceCIDR, status(ServiceCIDR)],
  async reconcile(serviceCidr, { client, informer, now }) {
    const { metadata } = serviceCidr;
    const { finalizers = [], deletionTimestamp } = metadata;
    if (!deletionTimestamp) {
      if (!finalizers.includes(finalizer)) await patchFinalizers(client, serviceCidr, { finalizers: [finalizer] });
      await setReady(client, serviceCidr, { status: 'True', message: 'Kubernetes Service CIDR is ready' }, now());
      return undefined;
    }
    const others = informer(ServiceCIDR).list();
    if (isHeldUp(serviceCidr, others, addressesOf(informer(IPAddress).list()))) {
      await setReady(client, serviceCidr, { status: 'False', reason: 'Terminating', message: stillUsed }, now());
      return undefined;
    }
    const leftMs = Date.parse(deletionTimestamp) + deletionGraceMs - now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    if (finalizers.includes(finalizer)) {
      await patchFinalizers(client, serviceCidr, { '$deleteFromPrimitiveList/finalizers': [finalizer] });
    }
    return undefined;
  },
});

async function patchFinalizers(client: Client, { metadata }: ServiceCIDR, change: object): Promise<void> {
  await client.patch(ServiceCIDR, { name: metadata.name }, { type: 'strategic', body: { metadata: change } });
}

interface Ready {
  readonly status: string;
  readonly reason?: string;
  readonly message: string;
}

async function setReady(client: Client, serviceCidr: ServiceCIDR, ready: Ready, nowMs: number): Promise<void> {
  const { name } = serviceCidr.metadata;
  const known = serviceCidr.status?.conditions?.find(({ type }) => type === 'Ready');
  if (
    known?.status === ready.status &&
    (known.reason ?? '') === (ready.reason ?? '') &&
    known.message === ready.message
  ) {
    return;
  }
  const condition = { type: 'Ready', ...ready, lastTransitionTime: formatTime(nowMs) };
  const body = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name },
    status: { conditions: [condition] },
  };
  const options = { fieldManager, force: true };
  await client.patch(ServiceCIDR, { name, subresource: 'status' }, { type: 'apply', body }, options);
}
