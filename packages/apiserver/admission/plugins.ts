import type { Transport } from '@kubernode/api';
import { silentLogger, type Clock, type Random } from '@kubernode/machinery';
import type { SecurityContext } from '../options.ts';
import type { AdmissionPlugin, Authorizer, ClusterState } from '../seams.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { dynamicPlugins } from './dynamic.ts';
import { imagePolicyWebhook, readImagePolicyConfiguration } from './image-policy-webhook.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction.ts';
import {
  defaultTolerationSeconds,
  extendedResourceToleration,
  taintNodesByCondition,
} from './nodes-and-tolerations.ts';
import type { AdmissionConfiguration } from './configuration/admission-configuration.ts';
import { alwaysPullImages, denyServiceExternalIps } from './opt-in.ts';
import { readPodSecurityConfiguration } from './pod-security/configuration.ts';
import { podSecurity } from './pod-security/plugin.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priorityPlugin } from './priority.ts';
import { resourceQuota } from './resource-quota.ts';
import { runtimeClassPlugin } from './runtime-class.ts';
import { serviceAccountPlugin } from './service-account.ts';
import {
  defaultIngressClass,
  defaultStorageClass,
  persistentVolumeClaimResize,
  storageObjectInUseProtection,
} from './storage.ts';

/** What the server hands its plugins; without it, as in tests, nothing is counted and nobody outside is asked. */
type Surroundings = Partial<Pick<SecurityContext, 'metrics' | 'outbound' | 'isEnabled' | 'log' | 'signal'>>;

export interface AdmissionOptions extends Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly authorize: Authorizer;
  readonly transport: () => Transport;
  /** `--admission-control-config-file` */
  readonly configuration?: AdmissionConfiguration | undefined;
  /** `--enable-admission-plugins`: in addition to those that are on by default. */
  readonly enable?: readonly string[] | undefined;
  /** `--disable-admission-plugins` */
  readonly disable?: readonly string[] | undefined;
}

/** In kube-apiserver's order, which no flag changes: its AllOrderedPlugins. */
const order = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PodGroupProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  'PodGroupWorkloadExists',
  'NodeDeclaredFeatureValidator',
  'JobValidation',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const;

/** There, and on only when a flag says so. */
const offByDefault = new Set([
  'ImagePolicyWebhook',
  'AlwaysAdmit',
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'ExtendedResourceToleration',
]);

/**
 * The plugins that are on, in their order. Throws for a name that does not exist, and for one that is asked for and is
 * not among what this server has; plugins that kube-apiserver has on by default and this one lacks are left out.
 */
export function admissionPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { enable = [], disable = [] } = options;
  const present = new Map(allPlugins(state, options).map((plugin) => [plugin.name, plugin]));
  for (const [flag, names] of [
    ['enable', enable],
    ['disable', disable],
  ] as const) {
    for (const name of names) {
      if (!(order as readonly string[]).includes(name))
        throw new Error(`--${flag}-admission-plugins: plugin ${JSON.stringify(name)} is unknown`);
      if (flag === 'enable' && !present.has(name))
        throw new Error(`--enable-admission-plugins: plugin ${JSON.stringify(name)} is not supported by this server`);
      if (flag === 'enable' && disable.includes(name))
        throw new Error(`${name} in --enable-admission-plugins and --disable-admission-plugins overlapped`);
    }
  }
  const isOn = (name: string) => enable.includes(name) || !(offByDefault.has(name) || disable.includes(name));
  return order.flatMap((name) => (isOn(name) ? (present.get(name) ?? []) : []));
}

function allPlugins(state: ClusterState, options: AdmissionOptions): AdmissionPlugin[] {
  const { authorize } = options;
  return [
    { name: 'AlwaysAdmit' },
    namespaceLifecycle(state),
    limitRanger(state),
    serviceAccountPlugin(state, options),
    // Off in kube-apiserver by default; every installer turns it on.
    nodeRestriction(state),
    taintNodesByCondition,
    podSecurity(state, readPodSecurityConfiguration(options.configuration?.configurationFor('PodSecurity'))),
    priorityPlugin(state),
    defaultTolerationSeconds(),
    extendedResourceToleration,
    alwaysPullImages,
    denyServiceExternalIps,
    defaultStorageClass(state),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(state),
    runtimeClassPlugin(state),
    ...imagePolicy(options),
    certificateApproval(authorize),
    certificateSigning(authorize),
    clusterTrustBundleAttest(authorize),
    certificateSubjectRestriction,
    defaultIngressClass(state),
    podTopologyLabels(state),
    ...dynamicPlugins(state, options),
    resourceQuota(state, options),
  ];
}

/** Made only where it is asked for: it needs its configuration, and somebody to ask. */
function imagePolicy({
  enable,
  configuration,
  outbound,
  clock,
  log = silentLogger,
}: AdmissionOptions): AdmissionPlugin[] {
  const name = 'ImagePolicyWebhook';
  if (!enable?.includes(name) || !outbound) return [];
  const own = readImagePolicyConfiguration(configuration?.configurationFor(name));
  return [imagePolicyWebhook(own, { clock, outbound, log: log.child('admission') })];
}
