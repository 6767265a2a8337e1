import type { Schema } from './schemas.ts';

/** What upstream's documents say of single types and fields, and the facts do not. Read as `group/version.Type.field`. */

const union = (discriminator: string | undefined, fields: Readonly<Record<string, string>>): Schema => ({
  'x-kubernetes-unions': [{ ...(discriminator ? { discriminator } : {}), 'fields-to-discriminateBy': fields }],
});

const localhost = union('type', { localhostProfile: 'LocalhostProfile' });

/** Extensions of types. */
export const typeExtensions: Readonly<Record<string, Schema>> = {
  'core/v1.AppArmorProfile': localhost,
  'core/v1.SeccompProfile': localhost,
  'core/v1.PodSchedulingGroup': union(undefined, { podGroupName: 'PodGroupName' }),
  'scheduling.k8s.io/v1alpha3.WorkloadPodGroupDisruptionMode': union(undefined, { all: 'All', single: 'Single' }),
  'scheduling.k8s.io/v1alpha3.WorkloadPodGroupSchedulingPolicy': union(undefined, { basic: 'Basic', gang: 'Gang' }),
  'flowcontrol.apiserver.k8s.io/v1.LimitResponse': union('type', { queuing: 'Queuing' }),
  'flowcontrol.apiserver.k8s.io/v1.PriorityLevelConfigurationSpec': union('type', {
    exempt: 'Exempt',
    limited: 'Limited',
  }),
  'flowcontrol.apiserver.k8s.io/v1.Subject': union('kind', {
    group: 'Group',
    serviceAccount: 'ServiceAccount',
    user: 'User',
  }),
};

/** What is said of fields beside their type. */
export const fieldExtensions: Readonly<Record<string, Schema>> = {
  'core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses': { 'x-kubernetes-map-type': 'granular' },
  'core/v1.PersistentVolumeSpec.claimRef': { 'x-kubernetes-map-type': 'granular' },
  'admissionregistration.k8s.io/v1alpha1.MutatingAdmissionPolicySpec.reinvocationPolicy': {
    enum: ['IfNeeded', 'Never'],
  },
  'discovery.k8s.io/v1.EndpointSlice.addressType': { enum: ['FQDN', 'IPv4', 'IPv6'] },
};

/** Types that are another name for one of another version, and yet have a definition of their own. */
export const aliases: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1.MatchCondition':
    'io.k8s.api.admissionregistration.v1alpha1.MatchCondition',
};

/** A reference that nothing is said of, not even in prose, stands alone in version 3, too. */
export const isBareReference = (typeName: string, field: string): boolean =>
  typeName === 'apiextensions.k8s.io/v1.JSONSchemaProps' && field !== 'default';
