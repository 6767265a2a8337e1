import { isReason } from '@kubernode/api';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import type { Client } from '@kubernode/client';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import type { SlicePlan } from './plan-slices.ts';
import { withTriggerTime } from './slice-metadata.ts';

export interface SliceOwner {
  readonly reference: OwnerReference;
  readonly generateName: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string> | undefined;
  readonly triggerTime: string | undefined;
}

/** An empty list is stored as upstream's null. */
const listed = <T>(items: readonly T[]) => (items.length > 0 ? [...items] : (null as unknown as T[]));

/** New slices first, then changed ones, then removals: an endpoint that moves is never gone in between. */
export async function writeSlices(plan: SlicePlan, family: string, owner: SliceOwner, client: Client): Promise<void> {
  const { namespace, generateName, labels, reference, triggerTime } = owner;
  const addressType = family as EndpointSlice['addressType'];
  for (const { ports, endpoints } of plan.create) {
    const annotations = withTriggerTime(owner.annotations, triggerTime);
    const metadata = { generateName, namespace, labels, annotations, ownerReferences: [reference] };
    try {
      await client.create(EndpointSlice, { metadata, addressType, endpoints: listed(endpoints), ports: listed(ports) });
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const { slice, endpoints } of plan.update) {
    const annotations = withTriggerTime(owner.annotations ?? slice.metadata.annotations, triggerTime);
    const metadata = { ...slice.metadata, labels, annotations };
    await client.update(EndpointSlice, { ...slice, metadata, endpoints: [...endpoints] });
  }
  await removeSlices(plan.remove, client);
}

export async function removeSlices(slices: readonly EndpointSlice[], client: Client): Promise<void> {
  for (const { metadata } of slices) {
    const { name, namespace } = metadata;
    await client.delete(EndpointSlice, { name, namespace }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  }
}
