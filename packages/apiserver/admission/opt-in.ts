import type { Pod, Service } from '@kubernode/api/core/v1';
import type { AdmissionPlugin } from '../seams.ts';
import { isAbout, refuse } from './refuse.ts';

/** Images are pulled anew for each container, so that only those who may pull an image can run it. Off by default. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  mutate(request) {
    const { subresource } = request.attributes;
    if (!['CREATE', 'UPDATE'].includes(request.operation)) return;
    if (!isAbout(request, 'pods', '', subresource) || !['', 'ephemeralcontainers'].includes(subresource)) return;
    const { spec } = request.object as Pod;
    const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
    for (const container of containers) container.imagePullPolicy = 'Always';
  },
};

/** No new external IPs on Services (CVE-2020-8554); what is there may stay. Off by default. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  validate(request) {
    if (!['CREATE', 'UPDATE'].includes(request.operation) || !isAbout(request, 'services')) return;
    const before = new Set((request.oldObject as Service | undefined)?.spec?.externalIPs);
    const added = ((request.object as Service).spec?.externalIPs ?? []).filter((address) => !before.has(address));
    if (added.length > 0) throw refuse(request, 'Use of external IPs is denied by admission control');
  },
};
