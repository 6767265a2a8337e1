import { dns1123Label, portName } from '@kubernode/machinery';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid, notFound, notSupported, required as requiredCause } from '../cause.ts';
import { resourceRequirements } from '../resources/resources.ts';
import { all, each, evenIfAbsent, fields, inOrder, type Rule, when } from '../rule.ts';
import { format, maxItems, oneOf, portNumber, required, requiredOneOf } from '../values.ts';
import type { PodContext } from './context.ts';
import { envFrom, envVar } from './env.ts';
import { lifecycle, livenessProbe, notOnInitContainers, readinessProbe } from './probes.ts';
import { containerSecurityContext } from './security.ts';
import { bidirectionalNeedsPrivileged, volumeDevices, volumeMounts } from './volume-mounts.ts';

const port = fields<ContainerPort>({
  name: format(portName),
  containerPort: [required as Rule<number>, (value, path) => (value === 0 ? [requiredCause(path)] : []), portNumber],
  hostPort: (value, path) => (value === 0 ? [] : portNumber(value, path)),
  protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
});

const neverRestarts = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";

/** Resources whose change can be applied to a running container. */
const resizePolicy =
  ({ spec }: PodContext): Rule<readonly ContainerResizePolicy[]> =>
  (policies, path) => {
    const seen = new Set<string>();
    return policies.flatMap(({ resourceName, restartPolicy }, index) => {
      const repeated = seen.has(resourceName) ? [duplicate(`${path}[${index}]`, resourceName)] : [];
      seen.add(resourceName);
      return [
        ...repeated,
        ...requiredOneOf('cpu', 'memory')(resourceName, path),
        ...requiredOneOf('NotRequired', 'RestartContainer')(restartPolicy, path),
        ...(spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired'
          ? [invalid(path, restartPolicy, neverRestarts)]
          : []),
      ];
    });
  };

const restartRulesMax = 20;
const exitCodesMax = 255;
const restartActions = ['Restart', 'RestartAllContainers'];

const restartRule = fields<ContainerRestartRule>({
  action: evenIfAbsent((value: string | undefined, path) =>
    restartActions.includes(value ?? '') ? [] : [notSupported(path, value ?? '', restartActions)],
  ),
  exitCodes: [
    required as Rule<NonNullable<ContainerRestartRule['exitCodes']>>,
    fields<NonNullable<ContainerRestartRule['exitCodes']>>({
      operator: evenIfAbsent((value: string | undefined, path) => oneOf('In', 'NotIn')(value ?? '', path)),
      values: maxItems(exitCodesMax),
    }),
  ],
});

/** No two ports of the same name; those that are none do not count. */
const uniquePortNames: Rule<readonly ContainerPort[]> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap(({ name }, index) => {
    if (!name || portName(name).length > 0) return [];
    if (seen.has(name)) return [duplicate(`${path}[${index}].name`, name)];
    seen.add(name);
    return [];
  });
};

/** What only holds for containers of pods: templates may have it different, for ever. */
const onlyForPods: Rule<Container> = ({ image }, path) =>
  image && image !== image.trim()
    ? [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]
    : [];

/** What holds for containers of every sort. */
function common(context: PodContext): Rule<Container> {
  return all<Container>(
    fields<Container>({
      name: [required, format(dns1123Label)],
      image: required,
      terminationMessagePolicy: requiredOneOf('FallbackToLogsOnError', 'File'),
      imagePullPolicy: requiredOneOf('Always', 'IfNotPresent', 'Never'),
      ports: all<readonly ContainerPort[]>(each(port), uniquePortNames),
      env: each(envVar),
      envFrom,
      resources: resourceRequirements(context.claimNames),
      resizePolicy: resizePolicy(context),
      securityContext: containerSecurityContext(context),
    }),
    ({ volumeMounts: mounts = [], volumeDevices: devices = [] }, path) => [
      ...volumeMounts(context, devices)(mounts, `${path}.volumeMounts`),
      ...volumeDevices(context, mounts)(devices, `${path}.volumeDevices`),
    ],
    bidirectionalNeedsPrivileged,
  );
}

const containerPolicies = ['Always', 'Never', 'OnFailure'];

/** When a container starts again; rules of init containers are not looked at where the policy is missing. */
const restartPolicyRules =
  ({ isInit }: { readonly isInit: boolean }): Rule<Container> =>
  ({ restartPolicy, restartPolicyRules: rules = [] }, path) => {
    const found: FieldCause[] = [];
    if (rules.length > 0 && restartPolicy === undefined) {
      found.push(requiredCause(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
    }
    if (restartPolicy === undefined && isInit) return found;
    if (restartPolicy !== undefined && !containerPolicies.includes(restartPolicy)) {
      found.push(notSupported(`${path}.restartPolicy`, restartPolicy, containerPolicies));
    }
    found.push(...maxItems(restartRulesMax)(rules, `${path}.restartPolicyRules`));
    return [...found, ...each(restartRule)(rules, `${path}.restartPolicyRules`)];
  };

/** Names are unique among all containers of a pod. */
function uniqueNames(taken: Set<string>, { countsEmpty = true } = {}): Rule<Container> {
  return ({ name }, path) => {
    if (taken.has(name)) return [duplicate(`${path}.name`, name)];
    if (name || countsEmpty) taken.add(name);
    return [];
  };
}

const probes = fields<Container>({ livenessProbe, startupProbe: livenessProbe, readinessProbe });

/** `containers`: at least one, names and host ports unique. */
export function containers(context: PodContext): Rule<readonly Container[]> {
  return inOrder<readonly Container[]>([
    required as Rule<readonly Container[]>,
    (list, path) =>
      all<readonly Container[]>(
        each(
          all<Container>(
            common(context),
            context.metadata ? onlyForPods : all<Container>(),
            restartPolicyRules({ isInit: false }),
            uniqueNames(new Set()),
            probes,
            fields<Container>({
              lifecycle: lifecycle(context.gracePeriodSeconds, context.spec.os?.name),
            }),
          ),
        ),
        hostPortsUnique,
      )(list, path),
  ]);
}

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
const initOnly = 'must not be set for init containers without restartPolicy=Always';

/** `initContainers`: those with restartPolicy Always are sidecars, which may have probes. */
export function initContainers(context: PodContext): Rule<readonly Container[]> {
  return (list, path) => {
    const names = new Set(context.spec.containers?.map(({ name }) => name));
    return each(
      all<Container>(
        common(context),
        restartPolicyRules({ isInit: true }),
        uniqueNames(names, { countsEmpty: false }),
        when<Container>(isSidecar, probes, lifecycleOf(context)),
        when<Container>(
          (container) => !isSidecar(container),
          notOnInitContainers(['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'], initOnly),
        ),
        when<Container>((container) => !isSidecar(container), noRestartToResize),
        (container, at) => hostPortsUnique([container], at.replace(/\[\d+\]$/, '')),
      ),
    )(list, path);
  };
}

const noRestartToResize: Rule<Container> = ({ resizePolicy: policies = [] }, path) =>
  policies.flatMap(({ restartPolicy }, index) => {
    const at = `${path}.resizePolicy[${index}].restartPolicy`;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return restartPolicy === 'RestartContainer' ? [invalid(at, restartPolicy, detail)] : [];
  });

const lifecycleOf = (context: PodContext) =>
  fields<Container>({ lifecycle: lifecycle(context.gracePeriodSeconds, context.spec.os?.name) });

const notEphemeral = [
  'ports',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
];

/** `ephemeralContainers`: for debugging; without ports, probes and resources, and aimed at a container of the pod. */
export function ephemeralContainers(context: PodContext): Rule<readonly EphemeralContainer[]> {
  return (list, path) => {
    const { containers: main, initContainers: init = [] } = context.spec;
    const targets = new Set([...main, ...init].map(({ name }) => name));
    const names = new Set(targets);
    const rule = all<Container>(
      common(context),
      onlyForPods,
      uniqueNames(names),
      present(notEphemeral),
      noResources,
      noSubPaths,
    );
    return list.flatMap((container, index) => {
      const at = `${path}[${index}]`;
      const { targetContainerName: target } = container;
      const found = [...rule(container, at)];
      if (target && !targets.has(target)) found.push(notFound(`${at}.targetContainerName`, target));
      return found;
    });
  };
}

const cannotBeSet = 'cannot be set for an Ephemeral Container';

const present =
  (names: readonly string[]): Rule<Container> =>
  (container, path) =>
    names
      .filter((name) => (container as unknown as Record<string, unknown>)[name] !== undefined)
      .map((name) => forbidden(`${path}.${name}`, cannotBeSet));

const noResources: Rule<Container> = ({ resources }, path) =>
  Object.keys(resources ?? {}).length > 0 ? [forbidden(`${path}.resources`, cannotBeSet)] : [];

const noSubPaths: Rule<Container> = ({ volumeMounts: mounts = [] }, path) =>
  mounts.flatMap(({ subPath, subPathExpr }, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const found: FieldCause[] = [];
    if (subPath) found.push(forbidden(`${at}.subPath`, cannotBeSet));
    if (subPathExpr) found.push(forbidden(`${at}.subPathExpr`, cannotBeSet));
    return found;
  });

/** Two containers of a pod cannot have the same port of the host. */
const hostPortsUnique: Rule<readonly Container[]> = (list, path) => {
  const seen = new Set<string>();
  return list.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort, hostIP = '', protocol }, portIndex) => {
      if (!hostPort) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(key)) return [duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key)];
      seen.add(key);
      return [];
    }),
  );
};
