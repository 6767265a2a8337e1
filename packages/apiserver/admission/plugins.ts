import { featureGates, type IsEnabled, type Transport } from '@kubernode/api';
import { silentLogger, type Clock, type Random } from '@kubernode/machinery';
import type { SecurityContext } from '../options.ts';
import type { AdmissionPlugin, Authorizer, ClusterState } from '../seams.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './privileges/certificates.ts';
import { dynamicPlugins } from './dynamic.ts';
import { eventRateLimit, readEventRateLimits } from './limits/event-rate-limit.ts';
import { imagePolicyWebhook, readImagePolicyConfiguration } from './pods/image-policy-webhook.ts';
import { limitRanger } from './limits/limit-ranger.ts';
import { readLimitedResources } from './limits/limited-resources.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { namespaceAutoProvision, namespaceExists } from './namespaces.ts';
import { nodeDeclaredFeatureValidator } from './nodes/node-declared-features.ts';
import { nodeRestriction } from './nodes/node-restriction.ts';
import {
  defaultTolerationSeconds,
  extendedResourceToleration,
  taintNodesByCondition,
  type TolerationSeconds,
} from './pods/nodes-and-tolerations.ts';
import type { AdmissionConfiguration } from './configuration/admission-configuration.ts';
import { alwaysDeny, alwaysPullImages, denyServiceExternalIps, limitPodHardAntiAffinityTopology } from './opt-in.ts';
import { ownerReferencesPermissionEnforcement } from './privileges/owner-permissions.ts';
import { podNodeSelector, readPodNodeSelectors } from './pods/pod-node-selector.ts';
import { podResizeValidator } from './pods/pod-resize.ts';
import { readPodSecurityConfiguration } from './pod-security/configuration.ts';
import { podSecurity } from './pod-security/plugin.ts';
import { podTolerationRestriction, readTolerationRestriction } from './pods/pod-toleration-restriction.ts';
import { podTopologyLabels } from './nodes/pod-topology-labels.ts';
import { priorityPlugin } from './pods/priority.ts';
import { resourceQuota } from './limits/resource-quota.ts';
import { runtimeClassPlugin } from './pods/runtime-class.ts';
import { serviceAccountPlugin } from './pods/service-account.ts';
import {
  defaultIngressClass,
  defaultStorageClass,
  persistentVolumeClaimResize,
  podGroupProtection,
  storageObjectInUseProtection,
} from './storage.ts';

/** What the server hands its plugins; without it, as in tests, nothing is counted and nobody outside is asked. */
type Surroundings = Partial<Pick<SecurityContext, 'metrics' | 'outbound' | 'isEnabled' | 'log' | 'signal'>>;

export interface AdmissionOptions extends Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly authorize: Authorizer;
  readonly transport: () => Transport;
  /** `--default-not-ready-toleration-seconds` and `--default-unreachable-toleration-seconds` */
  readonly defaultTolerationSeconds?: TolerationSeconds | undefined;
  /** `--admission-control-config-file` */
  readonly configuration?: AdmissionConfiguration | undefined;
  /** `--enable-admission-plugins`: in addition to those that are on by default. */
  readonly enable?: readonly string[] | undefined;
  /** `--disable-admission-plugins` */
  readonly disable?: readonly string[] | undefined;
}

interface Surrounded {
  readonly state: ClusterState;
  readonly options: AdmissionOptions;
  readonly isEnabled: IsEnabled;
  /** What the AdmissionConfiguration says to it. */
  readonly configuration: unknown;
  /** Webhooks and policies, which are made together. */
  readonly dynamic: (name: string) => AdmissionPlugin | undefined;
}

type Factory = (surrounded: Surrounded) => AdmissionPlugin | undefined;

const dynamicPlugin =
  (name: string): Factory =>
  ({ dynamic }) =>
    dynamic(name);

/** In kube-apiserver's order, which no flag changes: its AllOrderedPlugins. */
const factories: readonly (readonly [name: string, factory: Factory])[] = [
  ['AlwaysAdmit', () => ({ name: 'AlwaysAdmit' })],
  ['NamespaceAutoProvision', ({ state, options }) => namespaceAutoProvision(state, options.transport)],
  ['NamespaceLifecycle', ({ state }) => namespaceLifecycle(state)],
  ['NamespaceExists', ({ state }) => namespaceExists(state)],
  ['LimitPodHardAntiAffinityTopology', () => limitPodHardAntiAffinityTopology],
  ['LimitRanger', ({ state }) => limitRanger(state)],
  ['ServiceAccount', ({ state, options }) => serviceAccountPlugin(state, options)],
  ['NodeRestriction', ({ state, isEnabled }) => nodeRestriction(state, isEnabled)],
  ['TaintNodesByCondition', () => taintNodesByCondition],
  ['AlwaysPullImages', () => alwaysPullImages],
  ['ImagePolicyWebhook', ({ options, configuration }) => imagePolicy(options, configuration)],
  ['PodSecurity', ({ state, configuration }) => podSecurity(state, readPodSecurityConfiguration(configuration))],
  ['PodNodeSelector', ({ state, configuration }) => podNodeSelector(state, readPodNodeSelectors(configuration))],
  ['Priority', ({ state, isEnabled }) => priorityPlugin(state, isEnabled)],
  ['DefaultTolerationSeconds', ({ options }) => defaultTolerationSeconds(options.defaultTolerationSeconds)],
  [
    'PodTolerationRestriction',
    ({ state, configuration }) => podTolerationRestriction(state, readTolerationRestriction(configuration)),
  ],
  ['EventRateLimit', ({ options, configuration }) => eventRateLimit(readEventRateLimits(configuration), options.clock)],
  ['ExtendedResourceToleration', () => extendedResourceToleration],
  ['DefaultStorageClass', ({ state }) => defaultStorageClass(state)],
  ['StorageObjectInUseProtection', () => storageObjectInUseProtection],
  ['PodGroupProtection', ({ isEnabled }) => podGroupProtection(isEnabled)],
  ['OwnerReferencesPermissionEnforcement', ({ options }) => ownerReferencesPermissionEnforcement(options.authorize)],
  ['PersistentVolumeClaimResize', ({ state }) => persistentVolumeClaimResize(state)],
  ['RuntimeClass', ({ state }) => runtimeClassPlugin(state)],
  ['CertificateApproval', ({ options }) => certificateApproval(options.authorize)],
  ['CertificateSigning', ({ options }) => certificateSigning(options.authorize)],
  [
    'ClusterTrustBundleAttest',
    ({ options, isEnabled }) => (isEnabled('ClusterTrustBundle') ? clusterTrustBundleAttest(options.authorize) : none),
  ],
  ['CertificateSubjectRestriction', () => certificateSubjectRestriction],
  ['DefaultIngressClass', ({ state }) => defaultIngressClass(state)],
  ['DenyServiceExternalIPs', () => denyServiceExternalIps],
  [
    'PodTopologyLabels',
    ({ state, isEnabled }) => (isEnabled('PodTopologyLabelsAdmission') ? podTopologyLabels(state) : none),
  ],
  ['NodeDeclaredFeatureValidator', ({ state, isEnabled }) => nodeDeclaredFeatureValidator(state, isEnabled)],
  ['PodResizeValidator', ({ state }) => podResizeValidator(state)],
  ['MutatingAdmissionPolicy', dynamicPlugin('MutatingAdmissionPolicy')],
  ['MutatingAdmissionWebhook', dynamicPlugin('MutatingAdmissionWebhook')],
  ['ValidatingAdmissionPolicy', dynamicPlugin('ValidatingAdmissionPolicy')],
  ['ValidatingAdmissionWebhook', dynamicPlugin('ValidatingAdmissionWebhook')],
  [
    'ResourceQuota',
    ({ state, options: { transport }, configuration }) =>
      resourceQuota(state, { transport, limitedResources: readLimitedResources(configuration) }),
  ],
  ['AlwaysDeny', () => alwaysDeny],
];

const none: AdmissionPlugin | undefined = undefined;
const known: ReadonlySet<string> = new Set(factories.map(([name]) => name));

/**
 * There, and on only when a flag says so. NodeRestriction is off in kube-apiserver by default, too, but every installer
 * turns it on.
 */
const offByDefault: ReadonlySet<string> = new Set([
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'OwnerReferencesPermissionEnforcement',
  'DenyServiceExternalIPs',
  'AlwaysDeny',
]);

/**
 * The plugins that are on, in their order. Throws for names that do not exist or are both enabled and disabled, and for
 * a configuration that a plugin cannot use; what is off is not configured.
 */
export function admissionPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { enable = [], disable = [], configuration, isEnabled = featureGates() } = options;
  checkNames(enable, disable);
  // Their errors name them.
  const dynamicOnes = new Map(dynamicPlugins(state, options).map((plugin) => [plugin.name, plugin]));
  const dynamic = (name: string) => dynamicOnes.get(name);
  const isOn = (name: string) => enable.includes(name) || !(offByDefault.has(name) || disable.includes(name));
  return factories.flatMap(([name, factory]) => {
    if (!isOn(name)) return [];
    const own = configuration?.configurationFor(name);
    return made(name, () => factory({ state, options, isEnabled, dynamic, configuration: own })) ?? [];
  });
}

function made<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`couldn't init admission plugin ${JSON.stringify(name)}: ${why}`, { cause: error });
  }
}

/** Throws all that is wrong with the flags. */
function checkNames(enable: readonly string[], disable: readonly string[]): void {
  const problems = [...unknown('enable-admission-plugins', enable), ...unknown('disable-admission-plugins', disable)];
  const both = enable.filter((name) => disable.includes(name)).sort();
  if (both.length > 0)
    problems.push(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const unknown = (flag: string, names: readonly string[]): string[] =>
  names.filter((name) => !known.has(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);

/** It needs its configuration, and somebody to ask. */
function imagePolicy(
  { outbound, clock, log = silentLogger }: AdmissionOptions,
  configuration: unknown,
): AdmissionPlugin | undefined {
  const own = readImagePolicyConfiguration(configuration);
  return outbound && imagePolicyWebhook(own, { clock, outbound, log: log.child('admission') });
}
