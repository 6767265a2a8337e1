import { StatusError, type KubernetesObject } from '@kubernode/api';
import type { CronJob } from '@kubernode/api/batch/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { refuse } from '../refuse.ts';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { containersOf, type PodLike } from './check.ts';
import type { PodSecurityConfiguration } from './configuration.ts';
import { namespaceWarnings } from './namespace-warnings.ts';
import { labelPrefix, readPolicy, type Policy, type ReadPolicy } from './policy.ts';
import { compareLevels, describe, formatLevelVersion, violations, type LevelVersion } from './standards.ts';

/** Of a pod, these change nothing that the standards are about. */
const ignoredSubresources: ReadonlySet<string> = new Set(
  'exec attach binding eviction log portforward proxy status'.split(' '),
);

/** Kinds that make pods of a template: they are warned of and audited, never refused. */
const templateOf: Readonly<Record<string, (object: KubernetesObject) => unknown>> = {
  '/podtemplates': (object) => (object as { template?: unknown }).template,
  '/replicationcontrollers': specTemplate,
  'apps/replicasets': specTemplate,
  'apps/deployments': specTemplate,
  'apps/statefulsets': specTemplate,
  'apps/daemonsets': specTemplate,
  'batch/jobs': specTemplate,
  'batch/cronjobs': (object) => specTemplate((object as unknown as CronJob).spec.jobTemplate),
};

function specTemplate(object: unknown): unknown {
  return (object as { spec?: { template?: unknown } }).spec?.template;
}

/**
 * Holds pods to the Pod Security Standards that their namespace's labels name (KEP-2579). Refuses pods with 403, wrong
 * labels with 422; warns of templates, and of pods that are there already when a namespace gets stricter.
 */
export function podSecurity(state: ClusterState, configuration: PodSecurityConfiguration): AdmissionPlugin {
  const { defaults, exemptions } = configuration;
  const ofNamespace = policyCache(state, defaults);
  return {
    name: 'PodSecurity',
    resources: ['namespaces', 'pods', ...Object.keys(templateOf).map((key) => key.slice(key.indexOf('/') + 1))],
    validate(request) {
      if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return undefined;
      const { group, resource, subresource, namespace } = request.attributes;
      const key = `${group}/${resource}`;
      if (key === '/namespaces') return subresource === '' ? checkNamespace(request) : undefined;
      const isPod = key === '/pods';
      if (isPod ? ignoredSubresources.has(subresource) : subresource !== '' || !templateOf[key]) return undefined;
      const exempt = exemptions.namespaces.includes(namespace)
        ? 'namespace'
        : exemptions.usernames.includes(request.user.name) && 'user';
      if (exempt) {
        annotate(request, 'exempt', exempt);
        return undefined;
      }
      const read = ofNamespace(namespace);
      if (!read) {
        if (!isPod) return undefined;
        throw StatusError.of('InternalError', `Internal error occurred: failed to lookup namespace "${namespace}"`);
      }
      const { enforce, audit, warn } = read.policy;
      const isFree = read.causes.length === 0 && [audit, warn].every(({ level }) => level === 'privileged');
      if (isFree && (!isPod || enforce.level === 'privileged')) {
        if (isPod) annotate(request, 'enforce-policy', 'privileged:latest');
        return undefined;
      }
      if (isPod && request.oldObject && !isSignificant(request.object as Pod, request.oldObject as Pod))
        return undefined;
      const pod = isPod ? (request.object as Pod) : (templateOf[key]!(request.object!) as PodLike | undefined);
      if (pod?.spec) evaluate(request, pod, read, isPod);
      return undefined;
    },
  };

  function evaluate(request: AdmissionRequest, pod: PodLike, { policy, causes }: ReadPolicy, isPod: boolean): void {
    if (pod.spec.runtimeClassName && exemptions.runtimeClasses.includes(pod.spec.runtimeClassName)) {
      annotate(request, 'exempt', 'runtimeClass');
      return;
    }
    if (causes.length > 0) {
      const texts = causes.map(({ field, message }) => `${field}: ${message}`);
      const all = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
      annotate(request, 'error', `Failed to parse policy: ${all}`);
    }
    const breaks = (level: LevelVersion): string | undefined => {
      const found = violations(level, pod);
      return found.length === 0 ? undefined : `PodSecurity "${formatLevelVersion(level)}": ${describe(found)}`;
    };
    if (isPod) annotate(request, 'enforce-policy', formatLevelVersion(policy.enforce));
    const refused = isPod ? breaks(policy.enforce) : undefined;
    const audited = breaks(policy.audit);
    if (audited) annotate(request, 'audit-violations', `would violate ${audited}`);
    if (refused) throw refuse(request, `violates ${refused}`);
    const warned = breaks(policy.warn);
    if (warned) request.warn(`would violate ${warned}`);
  }

  function checkNamespace(request: AdmissionRequest): ReturnType<NonNullable<AdmissionPlugin['validate']>> {
    const { metadata } = request.object!;
    const { policy, causes } = readPolicy(metadata.labels, defaults);
    const before = request.oldObject && readPolicy(request.oldObject.metadata.labels, defaults);
    if (causes.length > 0 && !isSame(causes, before?.causes)) return causes;
    if (before && !isStricter(policy.enforce, before.policy.enforce)) return undefined;
    if (exemptions.namespaces.includes(request.attributes.namespace)) {
      warnOfExemption(request, policy);
      return undefined;
    }
    if (!before) return undefined;
    for (const text of namespaceWarnings(state, metadata.name, policy.enforce, exemptions.runtimeClasses))
      request.warn(text);
    return undefined;
  }

  /** Labels that say something, and to no avail. */
  function warnOfExemption(request: AdmissionRequest, policy: Policy): void {
    const { name, labels = {} } = request.object!.metadata;
    if (modes.every((mode) => policy[mode].level === 'privileged') || isSame(policy, defaults)) return;
    const isAsked = (mode: string) => [mode, `${mode}-version`].some((key) => labels[labelPrefix + key] !== undefined);
    const asked = modes.filter((mode) => policy[mode].level !== 'privileged' && isAsked(mode));
    const shown = asked.map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`).join(', ');
    request.warn(`namespace "${name}" is exempt from Pod Security, and the policy (${shown}) will be ignored`);
  }
}

const modes = ['enforce', 'audit', 'warn'] as const;

/** A namespace's policy is read once for each version of the namespace. */
function policyCache(state: ClusterState, defaults: Policy): (namespace: string) => ReadPolicy | undefined {
  const known = new WeakMap<KubernetesObject, ReadPolicy>();
  return (namespace) => {
    const object = state.get('', 'namespaces', namespace);
    if (!object) return undefined;
    let read = known.get(object);
    if (!read) {
      read = readPolicy(object.metadata.labels, defaults);
      known.set(object, read);
    }
    return read;
  };
}

/** Pods that are there need another look only where the level got stricter, or another version of it holds. */
function isStricter(policy: LevelVersion, before: LevelVersion): boolean {
  if (policy.level === 'privileged' || isSame(policy, before)) return false;
  return policy.minor !== before.minor || compareLevels(policy.level, before.level) > 0;
}

/** Of what may change in a pod, only images and new ephemeral containers count. */
function isSignificant({ spec }: Pod, { spec: before }: Pod): boolean {
  if (spec.containers.length !== before.containers.length) return true;
  if ((spec.initContainers ?? []).length !== (before.initContainers ?? []).length) return true;
  const images = new Map(containersOf(before).map(({ name, image }) => [name, image]));
  return containersOf(spec).some(({ name, image }) => !images.has(name) || images.get(name) !== image);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function annotate(request: AdmissionRequest, key: string, value: string): void {
  request.annotate?.(labelPrefix + key, value);
}
