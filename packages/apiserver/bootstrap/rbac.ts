import type { KubernetesObject, Transport } from '@kubernode/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '@kubernode/api/rbac/v1';
import { deepEqual } from '@kubernode/machinery';
import { missingRules } from '../authorization/rbac/rule-cover.ts';
import type { ClusterState } from '../seams.ts';
import type { BootstrapFacts } from './facts.ts';
import { createOne, deleteOne, pluralOf, updateOne } from './objects.ts';
import type { PreparedObjects } from './prepared.ts';

const group = 'rbac.authorization.k8s.io';
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Makes the default roles and bindings, and gives those that stand what they lack of it (rules, selectors, subjects,
 * labels, annotations). What an administrator added stays; objects that say `autoupdate: "false"` are left alone.
 */
export async function reconcileRbac(
  state: ClusterState,
  transport: Transport,
  facts: BootstrapFacts,
  prepared: PreparedObjects,
): Promise<void> {
  const paths = Object.keys(facts).filter((path) => path.startsWith(`/apis/${group}/`));
  const writes = paths.flatMap((path) =>
    (facts[path] ?? []).map(async (wanted) => {
      if (prepared.has(path, wanted.metadata)) return;
      const { name, namespace } = wanted.metadata;
      const known = state.get(group, pluralOf(path), name, namespace);
      if (!known) return createOne(transport, path, wanted);
      if (known.metadata.annotations?.[autoUpdate] === 'false') return;
      const isBinding = pluralOf(path).endsWith('bindings');
      if (isBinding && !deepEqual(roleOf(known), roleOf(wanted))) {
        await deleteOne(transport, path, known);
        return createOne(transport, path, wanted);
      }
      const filled = isBinding ? withSubjects(known, wanted) : withRules(known, wanted);
      const complete = withMetadata(filled, wanted);
      if (complete !== known) await updateOne(transport, path, complete);
    }),
  );
  await Promise.all(writes);
}

const roleOf = (binding: KubernetesObject) => (binding as ClusterRoleBinding).roleRef;

/** What stands wins over what is wanted of the same name. */
function withMetadata(known: KubernetesObject, { metadata: wanted }: KubernetesObject): KubernetesObject {
  const { metadata } = known;
  const labels = { ...wanted.labels, ...metadata.labels };
  const annotations = { ...wanted.annotations, ...metadata.annotations };
  const isComplete =
    Object.keys(labels).length === Object.keys(metadata.labels ?? {}).length &&
    Object.keys(annotations).length === Object.keys(metadata.annotations ?? {}).length;
  return isComplete ? known : { ...known, metadata: { ...metadata, labels, annotations } };
}

function withRules(known: KubernetesObject, wanted: KubernetesObject): KubernetesObject {
  const [own, standard] = [known as ClusterRole, wanted as ClusterRole];
  const selectors = own.aggregationRule?.clusterRoleSelectors ?? [];
  const lacking = (standard.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((each) => deepEqual(each, selector)),
  );
  if (lacking.length > 0) {
    return { ...known, aggregationRule: { clusterRoleSelectors: [...selectors, ...lacking] } } as ClusterRole;
  }
  const rules: readonly PolicyRule[] = own.rules ?? [];
  const missing = missingRules(rules, standard.rules ?? []);
  return missing.length === 0 ? known : ({ ...known, rules: [...rules, ...missing] } as ClusterRole);
}

function withSubjects(known: KubernetesObject, wanted: KubernetesObject): KubernetesObject {
  const subjects = (known as ClusterRoleBinding).subjects ?? [];
  const isSame = (a: Subject, b: Subject) =>
    a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');
  const missing = ((wanted as ClusterRoleBinding).subjects ?? []).filter(
    (subject) => !subjects.some((each) => isSame(each, subject)),
  );
  return missing.length === 0 ? known : ({ ...known, subjects: [...subjects, ...missing] } as ClusterRoleBinding);
}
