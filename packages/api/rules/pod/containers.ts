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
import { containerResources } from '../resources/resources.ts';
import { all, each, evenIfAbsent, fields, foundIn, inOrder, type Rule, type RuleWithin, when } from '../rule.ts';
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
const resizePolicy: RuleWithin<readonly ContainerResizePolicy[], PodContext> = (policies, path, _old, { spec }) => {
  const seen = new Set<string>();
  return foundIn(policies, ({ resourceName, restartPolicy }, index) => {
    const repeated = seen.has(resourceName) ? [duplicate(`${path}[${index}]`, resourceName)] : [];
    seen.add(resourceName);
    return [
      ...repeated,
      ...resizable(resourceName, path),
      ...resizeRestart(restartPolicy, path),
      ...(spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired'
        ? [invalid(path, restartPolicy, neverRestarts)]
        : []),
    ];
  });
};

const resizable = requiredOneOf('cpu', 'memory');
const resizeRestart = requiredOneOf('NotRequired', 'RestartContainer');

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
const common = all<Container, PodContext>(
  fields<Container, PodContext>({
    name: [required, format(dns1123Label)],
    image: required,
    terminationMessagePolicy: requiredOneOf('FallbackToLogsOnError', 'File'),
    imagePullPolicy: requiredOneOf('Always', 'IfNotPresent', 'Never'),
    ports: all<readonly ContainerPort[]>(each(port), uniquePortNames),
    env: each(envVar),
    envFrom,
    resources: containerResources,
    resizePolicy,
    securityContext: containerSecurityContext,
  }),
  (container, path, _old, context) => volumeMounts(container, `${path}.volumeMounts`, context),
  (container, path, _old, context) => volumeDevices(container, `${path}.volumeDevices`, context),
  bidirectionalNeedsPrivileged,
);

const containerPolicies = ['Always', 'Never', 'OnFailure'];

const noMoreRules = maxItems(restartRulesMax);
const restartRules = each(restartRule);

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
    if (rules.length === 0) return found;
    const at = `${path}.restartPolicyRules`;
    return [...found, ...noMoreRules(rules, at), ...restartRules(rules, at)];
  };

/** Where containers are judged one after the other. */
interface ContainersContext extends PodContext {
  /** The names of those before. */
  readonly taken: Set<string>;
}

/** Names are unique among all containers of a pod. */
function uniqueNames({ countsEmpty = true } = {}): RuleWithin<Container, ContainersContext> {
  return ({ name }, path, _old, { taken }) => {
    if (taken.has(name)) return [duplicate(`${path}.name`, name)];
    if (name || countsEmpty) taken.add(name);
    return [];
  };
}

const probes = fields<Container>({ livenessProbe, startupProbe: livenessProbe, readinessProbe });
const lifecycleOf = fields<Container, PodContext>({ lifecycle });

const eachContainer = each<Container, ContainersContext>(
  all<Container, ContainersContext>(
    common,
    (container, path, _old, { metadata }) => (metadata ? onlyForPods(container, path) : []),
    restartPolicyRules({ isInit: false }),
    uniqueNames(),
    probes,
    lifecycleOf,
  ),
);

/** `containers`: at least one, names and host ports unique. */
export const containers = inOrder<readonly Container[], PodContext>([
  required as Rule<readonly Container[]>,
  all<readonly Container[], PodContext>(
    (list, path, _old, context) => eachContainer(list, path, undefined, { ...context, taken: new Set() }),
    (list, path) => hostPortsUnique(list, path),
  ),
]);

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
const initOnly = 'must not be set for init containers without restartPolicy=Always';

const eachInitContainer = each<Container, ContainersContext>(
  all<Container, ContainersContext>(
    common,
    restartPolicyRules({ isInit: true }),
    uniqueNames({ countsEmpty: false }),
    when<Container, PodContext>(isSidecar, probes, lifecycleOf),
    when<Container>(
      (container) => !isSidecar(container),
      notOnInitContainers(['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'], initOnly),
    ),
    (container, path) => (isSidecar(container) ? [] : noRestartToResize(container, path)),
    (container, at) => hostPortsUnique([container], at.replace(/\[\d+\]$/, '')),
  ),
);

/** `initContainers`: those with restartPolicy Always are sidecars, which may have probes. */
export const initContainers: RuleWithin<readonly Container[], PodContext> = (list, path, _old, context) => {
  const taken = new Set(context.spec.containers?.map(({ name }) => name));
  return eachInitContainer(list, path, undefined, { ...context, taken });
};

const noRestartToResize: Rule<Container> = ({ resizePolicy: policies = [] }, path) =>
  policies.flatMap(({ restartPolicy }, index) => {
    const at = `${path}.resizePolicy[${index}].restartPolicy`;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return restartPolicy === 'RestartContainer' ? [invalid(at, restartPolicy, detail)] : [];
  });

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
export const ephemeralContainers: RuleWithin<readonly EphemeralContainer[], PodContext> = (
  list,
  path,
  _old,
  context,
) => {
  const { containers: main, initContainers: init = [] } = context.spec;
  const targets = new Set([...main, ...init].map(({ name }) => name));
  const within = { ...context, taken: new Set(targets) };
  return foundIn(list, (container, index) => {
    const at = `${path}[${index}]`;
    const { targetContainerName: target } = container;
    const found = [...ephemeralContainer(container, at, undefined, within)];
    if (target && !targets.has(target)) found.push(notFound(`${at}.targetContainerName`, target));
    return found;
  });
};

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

const ephemeralContainer = all<Container, ContainersContext>(
  common,
  onlyForPods,
  uniqueNames(),
  present(notEphemeral),
  noResources,
  noSubPaths,
);

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
