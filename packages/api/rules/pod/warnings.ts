import { canonicalQuantity, quantityMilli } from '@kubernode/machinery';
import type {
  Affinity,
  Container,
  ContainerPort,
  PodAffinityTerm,
  PodSpec,
  PodTemplateSpec,
  Volume,
  WeightedPodAffinityTerm,
} from '../../generated/types/core/v1.ts';
import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import { claimSpecWarnings } from '../volumes/claims.ts';
import { ipWarnings } from '../service/ip-warnings.ts';
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from '../node-labels.ts';
import type { ResourceList } from '../resources/resources.ts';
import { annotationWarnings } from '../warnings.ts';
import { containersAt } from './annotations.ts';
import { overlappingPathWarnings } from './path-warnings.ts';
import { repeatedAt } from '../repeated.ts';

interface Visited {
  readonly container: Container;
  readonly at: string;
}

/** What a client is told of a pod that is valid, but not what it should be (pkg/api/pod/warnings.go). */
export const podWarnings = (spec: PodSpec, metadata: ObjectMeta): string[] => warningsOf(spec, metadata, '');

/** The same of a template, at its path: `spec.template`. */
export const podTemplateWarnings = (template: PodTemplateSpec | undefined, path: string): string[] =>
  template?.spec ? warningsOf(template.spec, template.metadata ?? {}, `${path}.`) : [];

function warningsOf(spec: PodSpec, metadata: ObjectMeta, prefix: string): string[] {
  const path = `${prefix}spec`;
  const containers = containersAt(spec, path);
  const grace = spec.terminationGracePeriodSeconds;
  return [
    ...schedulingWarnings(spec, path),
    ...annotationWarnings(metadata.annotations, deprecatedAnnotations, `${prefix}metadata.annotations`),
    ...(spec.volumes ?? []).flatMap((volume, index) => volumeWarnings(volume, `${path}.volumes[${index}]`)),
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...repeatedWarnings(spec, path),
    ...fractions(spec.overhead, `${path}.overhead`),
    ...seccompWarnings(spec, metadata, prefix),
    ...containers.flatMap((one) => containerWarnings(one, spec, metadata, prefix)),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...(grace !== undefined && grace < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(spec.affinity, `${path}.affinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
      ipWarnings(ip, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) => ipWarnings(ip, `${path}.hostAliases[${index}].ip`)),
  ];
}

const deprecatedAnnotations = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function schedulingWarnings({ nodeSelector = {}, affinity, topologySpreadConstraints = [] }: PodSpec, path: string) {
  const found = Object.keys(nodeSelector).flatMap((key) => {
    const message = deprecatedNodeLabel(key);
    return message === undefined ? [] : [`${path}.nodeSelector[${key}]: ${message}`];
  });
  const at = `${path}.affinity.nodeAffinity`;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  required.forEach((term, index) => {
    const termPath = `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`;
    found.push(...nodeSelectorTermWarnings(term, termPath));
  });
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  preferred.forEach(({ preference }, index) => {
    const termPath = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`;
    found.push(...nodeSelectorTermWarnings(preference, termPath, { checksValues: true }));
  });
  topologySpreadConstraints.forEach(({ topologyKey, labelSelector }, index) => {
    const item = `${path}.topologySpreadConstraints[${index}]`;
    const message = deprecatedNodeLabel(topologyKey);
    if (message !== undefined) found.push(`${item}.topologyKey: ${topologyKey} is ${message}`);
    if (!labelSelector) found.push(`${item}.labelSelector: ${noPod}`);
  });
  return found;
}

const noPod = 'a null labelSelector results in matching no pod';

function affinityWarnings(affinity: Affinity | undefined, path: string): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const required: readonly PodAffinityTerm[] = affinity?.[name]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred: readonly WeightedPodAffinityTerm[] =
      affinity?.[name]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const at = `${path}.${name}`;
    return [
      ...required.flatMap(({ labelSelector }, index) =>
        labelSelector ? [] : [`${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${noPod}`],
      ),
      ...preferred.flatMap(({ podAffinityTerm }, index) =>
        podAffinityTerm.labelSelector
          ? []
          : [`${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector: ${noPod}`],
      ),
    ];
  });
}

/** Sources of volumes that no node knows any more: field, how it is spelled, since when. */
const gone: readonly (readonly [name: keyof Volume, as: string, since: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(volume: Volume, path: string): string[] {
  const found = gone.flatMap(([name, as, since]) => (volume[name] === undefined ? [] : [`${path}.${as}: ${since}`]));
  const template = volume.ephemeral?.volumeClaimTemplate;
  return template
    ? [...found, ...claimSpecWarnings(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`)]
    : found;
}

/** Entries of lists that are there twice, and secrets without a name. */
function repeatedWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): string[] {
  const twice = (values: readonly string[], list: string, field: string) =>
    repeatedAt(values).map((index) => `${path}.${list}[${index}].${field}: duplicate ${field} "${values[index]}"`);
  const names = imagePullSecrets.map(({ name = '' }) => name);
  const ips = hostAliases.map(({ ip }) => ip);
  const unnamed = names.flatMap((name, index) =>
    name === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
  );
  return [...twice(ips, 'hostAliases', 'ip'), ...twice(names, 'imagePullSecrets', 'name'), ...unnamed];
}

function fractions(resources: ResourceList | undefined, path: string): string[] {
  const found: string[] = [];
  for (const name of ['memory', 'ephemeral-storage']) {
    const quantity = resources?.[name];
    if (quantity === undefined || quantityMilli(quantity) % 1000 === 0) continue;
    const value = JSON.stringify(canonicalQuantity(quantity));
    found.push(`${path}[${name}]: fractional byte value ${value} is invalid, must be an integer`);
  }
  return found;
}

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';

const seccompWarnings = ({ securityContext }: PodSpec, { annotations }: ObjectMeta, prefix: string) =>
  !securityContext?.seccompProfile && annotations?.[seccompPod] !== undefined
    ? [`${prefix}metadata.annotations[${seccompPod}]: ${seccompField}`]
    : [];

function containerWarnings(
  { container, at: path }: Visited,
  spec: PodSpec,
  { annotations }: ObjectMeta,
  prefix: string,
): string[] {
  const found: string[] = [];
  const { resources, env = [] } = container;
  if (annotations) found.push(...profileWarnings(container, spec, annotations, prefix));
  const all = [
    ...fractions(resources?.limits, `${path}.resources.limits`),
    ...fractions(resources?.requests, `${path}.resources.requests`),
  ];
  // Upstream tells of memory first, then of storage.
  found.push(...all.filter((one) => one.includes('[memory]')), ...all.filter((one) => !one.includes('[memory]')));
  const seen = new Set<string>();
  env.forEach((item, index) => {
    const reference = `$(${item.name})`;
    const value = item.value ?? '';
    const extendsIt = !item.valueFrom && value !== reference && value.includes(reference);
    if (seen.has(item.name) && !extendsIt) {
      const detail = `hides previous definition of "${item.name}", which may be dropped when using apply`;
      found.push(`${path}.env[${index}]: ${detail}`);
    }
    seen.add(item.name);
  });
  return found;
}

/** Annotations in the place of fields. */
function profileWarnings(
  { name, securityContext }: Container,
  spec: PodSpec,
  annotations: Readonly<Record<string, string>>,
  prefix: string,
): string[] {
  const found: string[] = [];
  const seccomp = `container.seccomp.security.alpha.kubernetes.io/${name}`;
  if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp))
    found.push(`${prefix}metadata.annotations[${seccomp}]: ${seccompField}`);
  const appArmor = `container.apparmor.security.beta.kubernetes.io/${name}`;
  // Of a pod itself the annotation is taken over into the field.
  if (prefix && !securityContext?.appArmorProfile && Object.hasOwn(annotations, appArmor)) {
    const { type, localhostProfile } = spec.securityContext?.appArmorProfile ?? {};
    const inAnnotation =
      type === 'Localhost'
        ? `localhost/${localhostProfile}`
        : type === 'RuntimeDefault'
          ? 'runtime/default'
          : 'unconfined';
    if (type === undefined || inAnnotation !== annotations[appArmor]) {
      const detail = 'deprecated since v1.30; use the "appArmorProfile" field instead';
      found.push(`${prefix}metadata.annotations[${appArmor}]: ${detail}`);
    }
  }
  return found;
}

function portWarnings(containers: readonly Visited[]): string[] {
  const found: string[] = [];
  const known = new Map<string, { readonly at: string; readonly port: ContainerPort }[]>();
  for (const { container, at: path } of containers) {
    (container.ports ?? []).forEach((port, index) => {
      const at = `${path}.ports[${index}]`;
      const { hostIP = '', hostPort = 0, containerPort, protocol, name = '' } = port;
      if (hostIP && !hostPort) {
        const all = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
        found.push(`${at}: hostIP set without hostPort: ${all}`);
      }
      const key = `${containerPort}/${protocol}`;
      const others = known.get(key) ?? [];
      for (const other of others) {
        const kind = clash(port, other.port);
        if (kind) found.push(`${at}: ${kind} port definition with ${other.at}`);
      }
      known.set(key, [...others, { at, port }]);
    });
  }
  return found;
}

/** How two definitions of one port get in each other's way. */
function clash(one: ContainerPort, other: ContainerPort): string | undefined {
  const [ip = '', otherIp = ''] = [one.hostIP, other.hostIP];
  const [port = 0, otherPort = 0] = [one.hostPort, other.hostPort];
  if (ip === otherIp && port === otherPort) return 'duplicate';
  if (port === 0 || otherPort === 0) return 'overlapping';
  return port === otherPort && (ip === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined;
}

function portNameWarnings(containers: readonly Visited[]): string[] {
  const known = new Map<string, string>();
  return containers.flatMap(({ container, at: path }) =>
    (container.ports ?? []).flatMap(({ name }, index) => {
      if (!name) return [];
      const at = `${path}.ports[${index}]`;
      const first = known.get(name);
      if (first === undefined) {
        known.set(name, at);
        return [];
      }
      const detail = `services and probes that select ports by name will use ${first}`;
      return [`${at}: duplicate port name "${name}" with ${first}, ${detail}`];
    }),
  );
}
