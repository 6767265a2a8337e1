import type { Service } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import { deepEqual } from '@kubernode/machinery';
import { isHeadless } from '../shared/service-pods.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
export const headlessLabel = 'service.kubernetes.io/headless';

const reserved = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

/** The service's own labels, and those that say whose slice it is. */
export function sliceLabels(service: Service, managedBy: string): Record<string, string> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.has(key));
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy,
  };
}

export function hasLabels({ metadata }: EndpointSlice, labels: Record<string, string>): boolean {
  return deepEqual(metadata.labels ?? {}, labels);
}

/** The annotations of a slice that is written because of something that happened at `triggerTime`. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  triggerTime: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return triggerTime ? { ...others, [triggerTimeAnnotation]: triggerTime } : others;
}
