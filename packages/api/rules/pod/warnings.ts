import { canonicalQuantity, quantityMilli } from '@kubernode/machinery';
import type {
  Affinity,
  Container,
  ContainerPort,
  EnvVar,
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
  const withPorts = containers.filter(({ container }) => container.ports);
  const grace = spec.terminationGracePeriodSeconds;
  return [
    ...schedulingWarnings(spec, path),
    ...annotationWarnings(metadata.annotations, deprecatedAnnotations, `${prefix}metadata.annotations`),
    ...ofEach(spec.volumes, (volume, index) => volumeWarnings(volume, `${path}.volumes[${index}]`)),
    ...(spec.volumes ? overlappingPathWarnings(spec.volumes) : none),
    ...repeatedWarnings(spec, path),
    ...fractions(spec.overhead, path, 'overhead'),
    ...seccompWarnings(spec, metadata, prefix),
    ...ofEach(containers, (one) => containerWarnings(one, spec, metadata, prefix)),
    ...(withPorts.length > 0 ? portWarnings(withPorts) : none),
    ...(withPorts.length > 0 ? portNameWarnings(withPorts) : none),
    ...(grace !== undefined && grace < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : none),
    ...(spec.affinity ? affinityWarnings(spec.affinity, `${path}.affinity`) : none),
    ...ofEach(spec.dnsConfig?.nameservers, (ip, index) => ipWarnings(ip, `${path}.dnsConfig.nameservers[${index}]`)),
    ...ofEach(spec.hostAliases, ({ ip }, index) => ipWarnings(ip, `${path}.hostAliases[${index}].ip`)),
  ];
}

/** Nearly no pod is warned of, and each is looked at: what finds nothing makes no list. */
const none: readonly string[] = [];

function ofEach<T>(
  items: readonly T[] | undefined,
  warningsOfOne: (item: T, index: number) => readonly string[],
): readonly string[] {
  let found: string[] | undefined;
  for (let index = 0; index < (items?.length ?? 0); index += 1) {
    const more = warningsOfOne(items![index]!, index);
    if (more.length > 0) (found ??= []).push(...more);
  }
  return found ?? none;
}

const deprecatedAnnotations = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function schedulingWarnings(spec: PodSpec, path: string): readonly string[] {
  if (!spec.nodeSelector && !spec.affinity && !spec.topologySpreadConstraints) return none;
  const { nodeSelector = {}, affinity, topologySpreadConstraints = [] } = spec;
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

function affinityWarnings(affinity: Affinity, path: string): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const required: readonly PodAffinityTerm[] = affinity[name]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred: readonly WeightedPodAffinityTerm[] =
      affinity[name]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
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

function volumeWarnings(volume: Volume, path: string): readonly string[] {
  let found = none;
  for (const [name, as, since] of gone) if (volume[name] !== undefined) found = [...found, `${path}.${as}: ${since}`];
  const template = volume.ephemeral?.volumeClaimTemplate;
  return template
    ? [...found, ...claimSpecWarnings(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`)]
    : found;
}

/** Entries of lists that are there twice, and secrets without a name. */
function repeatedWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): readonly string[] {
  if (hostAliases.length === 0 && imagePullSecrets.length === 0) return none;
  const twice = (values: readonly string[], list: string, field: string) =>
    repeatedAt(values).map((index) => `${path}.${list}[${index}].${field}: duplicate ${field} "${values[index]}"`);
  const names = imagePullSecrets.map(({ name = '' }) => name);
  const ips = hostAliases.map(({ ip }) => ip);
  const unnamed = names.flatMap((name, index) =>
    name === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
  );
  return [...twice(ips, 'hostAliases', 'ip'), ...twice(names, 'imagePullSecrets', 'name'), ...unnamed];
}

const inBytes = ['memory', 'ephemeral-storage'];

/** `field`: where they are, below the path. */
function fractions(resources: ResourceList | undefined, path: string, field: string): readonly string[] {
  if (!resources) return none;
  let found = none;
  for (const name of inBytes) {
    const quantity = resources[name];
    if (quantity === undefined || quantityMilli(quantity) % 1000 === 0) continue;
    const value = JSON.stringify(canonicalQuantity(quantity));
    const detail = `fractional byte value ${value} is invalid, must be an integer`;
    found = [...found, `${path}.${field}[${name}]: ${detail}`];
  }
  return found;
}

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';

const seccompWarnings = ({ securityContext }: PodSpec, { annotations }: ObjectMeta, prefix: string) =>
  !securityContext?.seccompProfile && annotations?.[seccompPod] !== undefined
    ? [`${prefix}metadata.annotations[${seccompPod}]: ${seccompField}`]
    : none;

function containerWarnings(
  { container, at: path }: Visited,
  spec: PodSpec,
  { annotations }: ObjectMeta,
  prefix: string,
): readonly string[] {
  const { resources, env } = container;
  const ofLimits = fractions(resources?.limits, path, 'resources.limits');
  const ofRequests = fractions(resources?.requests, path, 'resources.requests');
  const ofProfiles = annotations ? profileWarnings(container, spec, annotations, prefix) : none;
  const ofEnvironment = env && env.length > 1 ? hiddenVariables(env, path) : none;
  if (ofProfiles.length + ofLimits.length + ofRequests.length + ofEnvironment.length === 0) return none;
  // Upstream tells of memory first, then of storage.
  const all = [...ofLimits, ...ofRequests];
  const ofMemory = all.filter((one) => one.includes('[memory]'));
  return [...ofProfiles, ...ofMemory, ...all.filter((one) => !ofMemory.includes(one)), ...ofEnvironment];
}

function hiddenVariables(env: readonly EnvVar[], path: string): readonly string[] {
  const seen = new Set<string>();
  return ofEach(env, ({ name, value = '', valueFrom }, index) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const extendsIt = !valueFrom && value !== reference && value.includes(reference);
    if (!isRepeated || extendsIt) return none;
    const detail = `hides previous definition of "${name}", which may be dropped when using apply`;
    return [`${path}.env[${index}]: ${detail}`];
  });
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

/** All ports of one number are compared with each other, and nobody is sent more than 4 KB of warnings. */
const portsComparedMax = 20_000;

function portWarnings(containers: readonly Visited[]): string[] {
  const found: string[] = [];
  let compared = 0;
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
      known.set(key, others);
      for (const other of others) {
        if ((compared += 1) > portsComparedMax) break;
        const kind = clash(port, other.port);
        if (kind) found.push(`${at}: ${kind} port definition with ${other.at}`);
      }
      others.push({ at, port });
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
