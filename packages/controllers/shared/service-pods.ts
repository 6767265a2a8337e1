import type { Pod, Service, ServicePort } from '@kubernode/api/core/v1';
import type { WatchContext } from '@kubernode/client';
import { Service as ServiceKind } from '@kubernode/api/core/v1';
import { isFinished } from './pods.ts';

/** Whether a service's selector picks these labels. A service without one picks nothing. */
export function selects({ spec }: Service, labels: Readonly<Record<string, string>> | undefined): boolean {
  const wanted = Object.entries(spec.selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
}

/** The keys of the services that a pod stands behind. */
export function servicesOf({ metadata }: Pod, { informer }: WatchContext): string[] {
  return informer(ServiceKind)
    .list(metadata.namespace)
    .filter((service) => selects(service, metadata.labels))
    .map((service) => `${service.metadata.namespace}/${service.metadata.name}`);
}

/** Whether a pod can be an endpoint at all: it has an address and has not ended. */
export function mayBeEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  if (isFinished(pod) || !(pod.status.podIP || pod.status.podIPs?.length)) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Without an address of its own: DNS answers with the pods. */
export function isHeadless({ spec }: Service): boolean {
  return !spec.clusterIP || spec.clusterIP === 'None';
}

/** The number of a service's port on a pod; undefined where the pod has no port of that name and protocol. */
export function targetPortOn(pod: Pod, { targetPort, protocol = 'TCP', port }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort || port;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...pod.spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((candidate) => candidate.name === targetPort && (candidate.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The pod's name as a DNS host name, where it asked to be named below this service. */
export function hostnameFor(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}
