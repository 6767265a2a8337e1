import { dns1123Label, dns1123Subdomain, ipAddress, ipFamily, qualifiedName, unixId } from '@kubernode/machinery';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../cause.ts';
import { podAnnotations, podAnnotationsUpdate } from './annotations.ts';
import { byName } from './by-name.ts';

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
type StatusList = (typeof statusLists)[number];

/** What a kubelet may say of a pod (ValidatePodStatusUpdate); the spec is the old one already. */
export function podStatusUpdate(pod: Pod, old: Pod): readonly FieldCause[] {
  const { spec } = pod;
  const status = pod.status ?? {};
  const before = old.status ?? {};
  const annotations = pod.metadata.annotations ?? {};
  return [
    ...podAnnotationsUpdate(pod, old),
    ...podAnnotations(annotations, spec, 'metadata.annotations'),
    ...conditions(status),
    ...nominated(status, before, old.spec),
    ...((status.observedGeneration ?? 0) < 0
      ? [invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer')]
      : []),
    ...((status.qosClass ?? '') === (before.qosClass ?? '')
      ? []
      : [invalid('status.qosClass', status.qosClass, 'field is immutable')]),
    ...statusLists.flatMap((name) => transitions(name, status, before, old.spec)),
    ...claimStatuses(status, spec),
    ...extendedClaim(status, spec),
    ...podIps(status, before),
    ...hostIps(status, before),
    ...statusLists.flatMap((name) => users(status[name] ?? [], `status.${name}`, spec.os?.name ?? 'linux')),
    ...allocated(status, spec),
    ...statusLists.flatMap((name) => volumeStatuses(status[name] ?? [], `status.${name}`)),
  ];
}

/** What an update of the status leaves as it was where the client says nothing of it. */
export function keepStatusBasics(status: PodStatus, old: PodStatus | undefined): void {
  if (!status.qosClass && old?.qosClass) status.qosClass = old.qosClass;
  if (!status.observedGeneration && old?.observedGeneration) status.observedGeneration = old.observedGeneration;
  const known = new Map(old?.conditions?.map(({ type, observedGeneration }) => [type, observedGeneration]));
  for (const condition of status.conditions ?? []) {
    const before = known.get(condition.type);
    if (!condition.observedGeneration && before) condition.observedGeneration = before;
  }
}

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function conditions({ conditions: list = [] }: PodStatus): FieldCause[] {
  return list.flatMap(({ type, observedGeneration = 0 }, index) => {
    const at = `status.conditions[${index}]`;
    const found: FieldCause[] = [];
    if (observedGeneration < 0)
      found.push(invalid(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer'));
    if (systemConditions.has(type)) return found;
    return [...found, ...qualifiedName(type).map((detail) => invalid(`${at}.Type`, type, detail))];
  });
}

function nominated({ nominatedNodeName: name }: PodStatus, before: PodStatus, spec: PodSpec): FieldCause[] {
  const at = 'status.nominatedNodeName';
  if (!name || name === before.nominatedNodeName) return [];
  const found = dns1123Subdomain(name).map((detail) => invalid(at, name, detail));
  if (spec.nodeName) found.push(forbidden(at, 'may not be set on pods that are already bound to a node'));
  return found;
}

/** A container that ended stays so, unless it is one that starts again. */
function transitions(name: StatusList, status: PodStatus, before: PodStatus, spec: PodSpec): FieldCause[] {
  const isEphemeral = name === 'ephemeralContainerStatuses';
  const list = name === 'containerStatuses' ? spec.containers : (spec.initContainers ?? []);
  if (!isEphemeral && allCouldRestart(spec)) return [];
  const statuses = byName(status[name] ?? []);
  const containers = byName<Container>(isEphemeral ? [] : list);
  return (before[name] ?? []).flatMap((old, index) => {
    const { terminated } = old.state ?? {};
    if (!terminated) return [];
    const now = statuses.get(old.name);
    if (!now || now.state?.terminated) return [];
    const container = containers.get(old.name);
    if (container && shouldRestart(container, spec, terminated.exitCode)) return [];
    return [forbidden(`status.${name}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

/** Whether a rule of some container starts all of them again. */
const allCouldRestart = ({ containers, initContainers = [] }: PodSpec) =>
  [...containers, ...initContainers].some((container) =>
    container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );

function shouldRestart(container: Container, { restartPolicy }: PodSpec, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    for (const { exitCodes } of container.restartPolicyRules ?? []) {
      const isListed = exitCodes?.values?.includes(exitCode) ?? false;
      if (exitCodes?.operator === 'In' && isListed) return true;
      if (exitCodes?.operator === 'NotIn' && !isListed) return true;
    }
  }
  const policy = container.restartPolicy ?? restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function claimStatuses({ resourceClaimStatuses: list = [] }: PodStatus, { resourceClaims = [] }: PodSpec) {
  const claims = byName(resourceClaims);
  const seen = new Set<string>();
  return list.flatMap(({ name, resourceClaimName: claim }, index) => {
    const at = `status.resourceClaimStatuses[${index}]`;
    const found: FieldCause[] = [];
    if (!claims.has(name))
      found.push(invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) found.push(duplicate(`${at}.name`, name));
    seen.add(name);
    const wrong = claim === undefined ? [] : dns1123Subdomain(claim);
    return [...found, ...wrong.map((detail) => invalid(`${at}.resourceClaimName`, claim, detail))];
  });
}

function extendedClaim({ extendedResourceClaimStatus: status }: PodStatus, spec: PodSpec): FieldCause[] {
  if (!status) return [];
  const path = 'status.extendedResourceClaimStatus';
  const { requestMappings, resourceClaimName: claim } = status;
  const found: FieldCause[] = [];
  if (requestMappings.length === 0)
    found.push(required(`${path}.requestMappings`, 'at least one request mapping is required'));
  const containers = new Map([...(spec.initContainers ?? []), ...spec.containers].map((one) => [one.name, one]));
  const seen = new Set<string>();
  requestMappings.forEach(({ containerName, resourceName, requestName }, index) => {
    const at = `${path}.requestMappings[${index}]`;
    const container = containers.get(containerName);
    const of = (what: string) => `must match the ${what} of an entry in spec.initContainers or spec.containers`;
    if (!container) found.push(invalid(`${at}.containerName`, containerName, of('name')));
    else if (container.resources?.requests?.[resourceName] === undefined)
      found.push(invalid(`${at}.resourceName`, resourceName, of('extended resource name')));
    const wrong = dns1123Label(requestName);
    found.push(...wrong.map((detail) => invalid(`${path}.requestName`, requestName, detail)));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      const values = { containerName, resourceName, requestName };
      found.push(...Object.entries(values).map(([name, value]) => duplicate(`${at}.${name}`, value)));
    }
    seen.add(key);
  });
  const at = `${path}.resourceClaimName`;
  if (!claim) return [...found, required(at)];
  return [...found, ...dns1123Subdomain(claim).map((detail) => invalid(at, claim, detail))];
}

type Ips = readonly { readonly ip: string }[];

/** Each an address, one of a family; what was stored before may stay. */
function ipList(list: Ips, before: Ips, path: string): FieldCause[] {
  const known = new Set(before.map(({ ip }) => ip));
  const found = list.flatMap(({ ip }, index) =>
    known.has(ip) ? [] : ipAddress(ip).map((detail) => invalid(`${path}[${index}]`, ip, detail)),
  );
  if (list.length < 2) return found;
  const families = list.map(({ ip }) => ipFamily(ip));
  if (families.includes(undefined)) found.push(undecided(path, list[families.indexOf(undefined)]?.ip ?? ''));
  if (list.length > 2 || families.includes(undefined) || families[0] === families[1])
    found.push(invalid(path, list, 'may specify no more than one IP for each IP family'));
  return found;
}

/** Upstream takes it for its own failure that what it looks at is no address. */
const undecided = (field: string, ip: string): FieldCause => ({
  reason: 'InternalError',
  message: `Internal error: failed to check for dual stack with error:invalid IP: ${ip}`,
  field,
});

function podIps({ podIP = '', podIPs = [] }: PodStatus, before: PodStatus): FieldCause[] {
  const path = 'status.podIPs';
  const found = ipList(podIPs, before.podIPs ?? [], path);
  if ((podIP !== '') !== podIPs.length > 0)
    found.push(invalid(path, podIPs, 'podIP and podIPs must either both be set or both be unset'));
  else if (podIPs[0] && podIPs[0].ip !== podIP)
    found.push(invalid(`${path}[0].ip`, podIPs[0].ip, 'must be equal to `podIP`'));
  return found;
}

function hostIps({ hostIP = '', hostIPs = [] }: PodStatus, before: PodStatus): FieldCause[] {
  const path = 'status.hostIPs';
  const [first] = hostIPs;
  if (!first) return [];
  const found = first.ip === hostIP ? [] : [invalid(`${path}[0].ip`, first.ip, 'must be equal to `hostIP`')];
  return [...found, ...ipList(hostIPs, before.hostIPs ?? [], path)];
}

const uidMax = 2 ** 32 - 1;

function users(statuses: readonly ContainerStatus[], path: string, os: string): FieldCause[] {
  return statuses.flatMap(({ user }, index) => {
    const at = `${path}[${index}].user.linux`;
    const linux = user?.linux;
    if (!linux) return [];
    if (os === 'windows') return [forbidden(at, 'cannot be set for a windows pod')];
    if (os !== 'linux') return [];
    const { uid, gid, supplementalGroups = [] } = linux;
    const found: FieldCause[] = [];
    if (uid < 0 || uid > uidMax) found.push(invalid(`${at}.uid`, uid, `must be between 0 and ${uidMax}, inclusive`));
    found.push(...unixId(gid).map((detail) => invalid(`${at}.gid`, gid, detail)));
    supplementalGroups.forEach((group, position) => {
      const item = `${at}.supplementalGroups[${position}]`;
      found.push(...unixId(group).map((detail) => invalid(item, group, detail)));
    });
    return found;
  });
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const healthMessageBytesMax = 1024;

/** Devices that a container got are those that it asked for, each told once. */
function allocated(status: PodStatus, spec: PodSpec): FieldCause[] {
  const main = devices(status.containerStatuses ?? [], 'status.containerStatuses', spec.containers, status);
  const init = devices(
    status.initContainerStatuses ?? [],
    'status.initContainerStatuses',
    spec.initContainers ?? [],
    status,
  );
  const ephemeral = (status.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus = [] }, index) =>
    allocatedResourcesStatus.length === 0
      ? []
      : [
          forbidden(
            `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`,
            'must not be specified in container status',
          ),
        ],
  );
  return [...main, ...init, ...ephemeral];
}

function devices(
  statuses: readonly ContainerStatus[],
  path: string,
  containers: readonly Container[],
  status: PodStatus,
): FieldCause[] {
  const byContainer = byName(containers);
  return statuses.flatMap(({ name: containerName, allocatedResourcesStatus = [] }, index) =>
    allocatedResourcesStatus.flatMap(({ name, resources = [] }, position) => {
      const at = `${path}[${index}].allocatedResourcesStatus[${position}]`;
      const container = byContainer.get(containerName);
      const found: FieldCause[] = [];
      if (container && !asksFor(container, name, status))
        found.push(invalid(`${at}.name`, name, "must match one of the container's resource requests or claims"));
      const seen = new Set<string>();
      resources.forEach(({ health = '', resourceID, message }, place) => {
        const item = `${at}.resources[${place}]`;
        if (!healths.includes(health)) found.push(notSupported(`${item}.health`, health, healths));
        if (message === '') found.push(required(`${item}.message`, 'must be non-empty if specified'));
        if (Buffer.byteLength(message ?? '') > healthMessageBytesMax)
          found.push(tooLong(`${item}.message`, healthMessageBytesMax));
        if (seen.has(resourceID)) found.push(duplicate(`${item}.resourceID`, resourceID));
        seen.add(resourceID);
      });
      return found;
    }),
  );
}

function asksFor({ name: containerName, resources }: Container, name: string, status: PodStatus): boolean {
  if (!name.startsWith('claim:')) return resources?.requests?.[name] !== undefined;
  const isClaim = (claim: string, request = '') => name === `claim:${claim}${request ? `/${request}` : ''}`;
  if (resources?.claims?.some((claim) => isClaim(claim.name, claim.request))) return true;
  const { resourceClaimName = '', requestMappings = [] } = status.extendedResourceClaimStatus ?? {};
  return requestMappings.some(
    (mapping) =>
      mapping.containerName === containerName &&
      isClaim(resourceClaimName, mapping.requestName) &&
      resources?.requests?.[mapping.resourceName] !== undefined,
  );
}

const imageRefBytesMax = 256;

function volumeStatuses(statuses: readonly ContainerStatus[], path: string): FieldCause[] {
  return statuses.flatMap(({ volumeMounts = [] }, index) =>
    volumeMounts.flatMap(({ volumeStatus }, position) => {
      const at = `${path}[${index}].volumeMounts[${position}].volumeStatus.imageVolumeStatus.imageRef`;
      const reference = volumeStatus?.image?.imageRef;
      if (reference === undefined) return [];
      if (reference === '') return [required(at, 'imageRef must not be empty')];
      return Buffer.byteLength(reference) > imageRefBytesMax ? [tooLong(at, imageRefBytesMax)] : [];
    }),
  );
}
