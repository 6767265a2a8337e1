import { dns1123Label, dns1123Subdomain, qualifiedName } from '@kubernode/machinery';
import type { PodReadinessGate, PodResourceClaim, PodSpec, PodTemplateSpec } from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notSupported, required as requiredCause } from '../cause.ts';
import { annotations, labels } from '../metadata.ts';
import { overhead } from '../resources/resources.ts';
import { containersAt, podAnnotations } from './annotations.ts';
import { all, each, evenIfAbsent, fields, foundIn, type Rule } from '../rule.ts';
import { format, isEmpty, nonNegative, requiredOneOf } from '../values.ts';
import { containers, ephemeralContainers, initContainers } from './containers.ts';
import type { PodContext } from './context.ts';
import { fileVolumes } from './env.ts';
import { dns, hostAliases, hostname, hostNetworkPorts, hostnameOverride } from './networking.ts';
import { hostProcesses, operatingSystem } from './operating-system.ts';
import { podResources } from './pod-resources.ts';
import { affinity, schedulingGates, toleration, topologySpreadConstraints } from './scheduling.ts';
import { podSecurityContext } from './security.ts';
import { checkVolumes } from './volumes.ts';

const secondsMax = 2 ** 31 - 1;
const subdomain = format(dns1123Subdomain);

const activeDeadlineSeconds: Rule<number> = (value, path) =>
  value >= 1 && value <= secondsMax ? [] : [invalid(path, value, `must be between 1 and ${secondsMax}, inclusive`)];

const gateCondition = evenIfAbsent((type: string | undefined, path) => format(qualifiedName)(type ?? '', path));

const resourceClaim: Rule<PodResourceClaim> = all<PodResourceClaim>(
  fields<PodResourceClaim>({
    resourceClaimName: subdomain,
    resourceClaimTemplateName: subdomain,
  }),
  ({ resourceClaimName: name, resourceClaimTemplateName: template }, path) => {
    if (name !== undefined && template !== undefined) {
      return [
        invalid(
          path,
          { name, template },
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      ];
    }
    const none = name === undefined && template === undefined;
    return none ? [invalid(path, '', 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')] : [];
  },
);

/** Claims by names of their own. */
const resourceClaims: Rule<readonly PodResourceClaim[]> = (list, path) => {
  const seen = new Set<string>();
  return foundIn(list, (claim, index) => {
    const { name } = claim;
    const at = `${path}[${index}].name`;
    const found: FieldCause[] = [];
    if (!name) found.push(requiredCause(at));
    else if (seen.has(name)) found.push(duplicate(at, name));
    else found.push(...format(dns1123Label)(name, at));
    seen.add(name);
    return [...found, ...resourceClaim(claim, `${path}[${index}]`)];
  });
};

/** A pod's spec (ValidatePodSpec). `metadata` is the pod's own; a template has none that counts. */
export function podSpec(spec: PodSpec, path: string, metadata?: ObjectMeta): readonly FieldCause[] {
  const { found: volumeCauses, valid } = checkVolumes(spec.volumes ?? [], `${path}.volumes`, metadata);
  const context: PodContext = {
    spec,
    metadata,
    volumes: valid,
    claimNames: new Set((spec.resourceClaims ?? []).map(({ name }) => name)),
    gracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 0,
  };
  return [
    ...volumeCauses,
    ...resourceClaims(spec.resourceClaims ?? [], `${path}.resourceClaims`),
    ...parts(spec, path, undefined, context),
    ...hostNetworkPorts(spec, path, metadata !== undefined),
    ...wholeRules(spec, path),
    ...(metadata ? onlyPods(spec) : []),
  ];
}

const preemptionPolicy = requiredOneOf('Never', 'PreemptLowerPriority');

const parts = fields<PodSpec, PodContext>({
  containers,
  initContainers,
  ephemeralContainers,
  restartPolicy: requiredOneOf('Always', 'Never', 'OnFailure'),
  dnsPolicy: requiredOneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  nodeSelector: labels,
  securityContext: podSecurityContext,
  affinity,
  readinessGates: each<PodReadinessGate>(fields<PodReadinessGate>({ conditionType: gateCondition })),
  schedulingGates,
  topologySpreadConstraints,
  serviceAccountName: subdomain,
  nodeName: subdomain,
  activeDeadlineSeconds,
  hostname,
  subdomain: hostname,
  tolerations: each(toleration),
  hostAliases,
  priorityClassName: subdomain,
  runtimeClassName: subdomain,
  // An absent one is not asked for.
  preemptionPolicy: (policy, path) => preemptionPolicy(policy, path),
  overhead,
});

const sharedNamespaces: Rule<PodSpec> = ({ hostPID, shareProcessNamespace }, path) =>
  hostPID && shareProcessNamespace
    ? [invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
    : [];

const hostUsers: Rule<PodSpec> = (spec, path) => {
  if (spec.hostUsers !== false) return [];
  const why = 'when `hostUsers` is false';
  const found: FieldCause[] = [];
  if (spec.hostNetwork) found.push(forbidden(`${path}.hostNetwork`, why));
  // Upstream writes these two so.
  if (spec.hostPID) found.push(forbidden(`${path}.HostPID`, why));
  if (spec.hostIPC) found.push(forbidden(`${path}.HostIPC`, why));
  for (const { container, at } of containersAt(spec, path)) {
    if (!isEmpty(container.volumeDevices)) found.push(forbidden(`${at}.volumeDevices`, why));
  }
  return found;
};

const wholeRules = all<PodSpec>(
  dns,
  hostnameOverride,
  sharedNamespaces,
  hostUsers,
  hostProcesses,
  operatingSystem,
  podResources,
  fileVolumes,
);

/** A pod's grace, and its tokens: what only pods are asked, not templates. */
function onlyPods({ terminationGracePeriodSeconds: grace, serviceAccountName, volumes = [] }: PodSpec): FieldCause[] {
  const found = grace === undefined ? [] : [...nonNegative(grace, 'spec.terminationGracePeriodSeconds')];
  if (serviceAccountName) return found;
  volumes.forEach(({ projected }, index) => {
    projected?.sources?.forEach(({ serviceAccountToken }, position) => {
      const at = `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`;
      if (serviceAccountToken) found.push(forbidden(at, 'must not be specified when serviceAccountName is not set'));
    });
  });
  return found;
}

export interface PodTemplateRules {
  /** The pods have to run for good: they always restart, and have no deadline. */
  readonly only?: 'Always';
}

/** A template of pods, at whatever path it stands. */
export function podTemplate({ only }: PodTemplateRules = {}): Rule<PodTemplateSpec> {
  return evenIfAbsent((template: PodTemplateSpec | undefined, path) => {
    const { metadata, spec } = template ?? {};
    const found: FieldCause[] = [];
    if (metadata?.labels) found.push(...labels(metadata.labels, `${path}.labels`));
    if (metadata?.annotations) {
      found.push(...annotations(metadata.annotations, `${path}.annotations`));
      found.push(...podAnnotations(metadata.annotations, spec ?? ({} as PodSpec), `${path}.annotations`));
    }
    found.push(...podSpec(spec ?? ({} as PodSpec), `${path}.spec`));
    if (!isEmpty(spec?.ephemeralContainers)) {
      found.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
    }
    if (only && spec) found.push(...runsForGood(spec, `${path}.spec`));
    return found;
  });
}

function runsForGood({ restartPolicy, activeDeadlineSeconds: deadline }: PodSpec, path: string): FieldCause[] {
  const found: FieldCause[] = [];
  if (restartPolicy && restartPolicy !== 'Always') {
    found.push(notSupported(`${path}.restartPolicy`, restartPolicy, ['Always']));
  }
  if (deadline !== undefined) {
    found.push(forbidden(`${path}.activeDeadlineSeconds`, 'activeDeadlineSeconds in ReplicaSet is not Supported'));
  }
  return found;
}
