import { qosClass, StatusError, validateToleration } from '@kubernode/api';
import type { Pod, Toleration } from '@kubernode/api/core/v1';
import { deepEqual } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { pluginConfiguration } from '../configuration/plugin-configuration.ts';
import { isAbout, unclassified } from '../refuse.ts';
import { tolerationsIn } from './toleration-annotation.ts';

/** What holds in namespaces that say nothing themselves. */
interface TolerationRestriction {
  readonly default: readonly Toleration[];
  readonly whitelist: readonly Toleration[];
}

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const whitelistAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const kind = {
  group: 'podtolerationrestriction.admission.k8s.io',
  versions: ['v1alpha1'],
  kind: 'Configuration',
};

/** Reads `default` and `whitelist`. Throws with all fields that are wrong. */
export function readTolerationRestriction(value: unknown): TolerationRestriction {
  const read = pluginConfiguration<TolerationRestriction>(value, kind);
  const lists = { default: read.default ?? [], whitelist: read.whitelist ?? [] };
  const problems = (['default', 'whitelist'] as const).flatMap((name) =>
    lists[name].flatMap((item, index) => validateToleration(item, `podtolerationrestriction.${name}[${index}]`)),
  );
  if (problems.length === 0) return lists;
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  throw new Error(`invalid config: [${texts.join(' ')}]`);
}

/**
 * Pods get the tolerations of their namespace or, where it has none, of the cluster, and may have only those that its
 * whitelist covers. Off by default.
 */
export function podTolerationRestriction(state: ClusterState, configured: TolerationRestriction): AdmissionPlugin {
  const validate = (request: AdmissionRequest): void => {
    const tolerations = podOf(request)?.spec.tolerations ?? [];
    if (tolerations.length === 0) return;
    const own = namespaceTolerations(state, request, whitelistAnnotation);
    const whitelist = own ?? configured.whitelist;
    if (whitelist.length === 0) return;
    if (tolerations.every((item) => whitelist.some((allowed) => covers(allowed, item)))) return;
    const what = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its';
    throw unclassified(`${what} ${own ? 'namespace' : 'cluster'} whitelist`);
  };
  return {
    name: 'PodTolerationRestriction',
    mutate(request) {
      const pod = podOf(request);
      if (!pod) return;
      const isNew = request.operation === 'CREATE';
      const extra = isNew ? [...(namespaceTolerations(state, request, defaultsAnnotation) ?? configured.default)] : [];
      if (qosClass(pod) !== 'BestEffort')
        extra.push({ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' });
      if (extra.length > 0) pod.spec.tolerations = mergeTolerations([...(pod.spec.tolerations ?? []), ...extra]);
      validate(request);
    },
    validate,
  };
}

function podOf(request: AdmissionRequest): Pod | undefined {
  const isWrite = request.operation === 'CREATE' || request.operation === 'UPDATE';
  return isWrite && isAbout(request, 'pods') ? (request.object as Pod) : undefined;
}

/** Of a namespace's annotation; undefined where it has none. Throws what the client is answered. */
function namespaceTolerations(
  state: ClusterState,
  { attributes: { namespace } }: AdmissionRequest,
  annotation: string,
): readonly Toleration[] | undefined {
  const found = state.get('', 'namespaces', namespace);
  if (!found) throw StatusError.notFound({ group: '', plural: 'namespaces' }, namespace);
  const text = found.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  if (text === '') return [];
  return tolerationsIn(text);
}

/** Without those that another one covers; of two that are the same the first stays. */
function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, item] of all.entries()) {
    if (merged.some((other) => covers(other, item))) continue;
    if (all.slice(index + 1).some((other) => !deepEqual(other, item) && covers(other, item))) continue;
    merged.push(item);
  }
  return merged;
}

/** Whether `wide` tolerates all that `narrow` does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const operator = wide.operator || 'Equal';
  if ((wide.key ?? '') !== (narrow.key ?? '') && (wide.key || operator !== 'Exists')) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  // An operator that is left out is not taken for Equal here, as upstream has it.
  return operator === 'Equal' && narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}
