import { StatusError } from '@kubernode/api';
import type { Pod, Service } from '@kubernode/api/core/v1';
import type { AdmissionPlugin, AdmissionRequest } from '../seams.ts';
import { isAbout, refuse } from './refuse.ts';

/** Images are pulled anew for each container, so that only those who may pull an image can run it. Off by default. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  resources: ['pods'],
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
  resources: ['services'],
  validate(request) {
    if (!['CREATE', 'UPDATE'].includes(request.operation) || !isAbout(request, 'services')) return;
    const before = new Set((request.oldObject as Service | undefined)?.spec?.externalIPs);
    const added = ((request.object as Service).spec?.externalIPs ?? []).filter((address) => !before.has(address));
    if (added.length > 0) throw refuse(request, 'Use of external IPs is denied by admission control');
  },
};

const hostname = 'kubernetes.io/hostname';

/** Pods keep others away from their node at most, not from a whole zone. Off by default. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  resources: ['pods'],
  validate(request) {
    if (!['CREATE', 'UPDATE'].includes(request.operation) || !isAbout(request, 'pods')) return;
    const { metadata, spec } = request.object as Pod;
    const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (!other) return;
    const what = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey}`;
    throw StatusError.forbidden(
      { group: '', plural: 'pods' },
      metadata.name,
      `${what} but only key ${hostname} is allowed`,
    );
  },
};

const deny = (request: AdmissionRequest): never => {
  throw refuse(request, 'admission control is denying all modifications');
};

/** Nothing is let through: for tests of clients. Off by default. */
export const alwaysDeny: AdmissionPlugin = { name: 'AlwaysDeny', connects: true, mutate: deny, validate: deny };
