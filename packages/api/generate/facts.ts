import type { Lifecycle } from './deprecation.ts';

/** The form of the facts files, as far as the generator reads them. */
export interface Facts {
  readonly kubernetes: string;
  readonly kinds: readonly KindFact[];
  readonly types: Readonly<Record<string, { readonly fields: readonly FieldFact[] }>>;
}

export interface KindFact {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
  readonly lifecycle?: Lifecycle;
}

export interface TypeFact {
  readonly type: string;
  readonly ref?: string;
  readonly items?: TypeFact;
  readonly values?: TypeFact;
  readonly named?: string;
  readonly enum?: readonly string[];
}

export interface FieldFact extends TypeFact {
  readonly name: string;
  readonly inline?: boolean;
  readonly proto?: number;
  readonly pointer?: boolean;
  readonly omitempty?: boolean;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly defaultExpr?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly structType?: string;
  readonly default?: unknown;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly featureGates?: readonly string[];
  readonly markers?: readonly string[];
}

export interface ResourceFacts {
  readonly groups: readonly GroupFact[];
  readonly groupsServedByDefault: readonly GroupFact[];
  readonly resources: readonly ResourceFact[];
}

export interface GroupFact {
  readonly group: string;
  readonly versions: readonly string[];
  readonly preferred: string;
}

export interface ResourceFact {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Groups beside the served ones whose types the product reads or answers with. */
const extraGroupVersions = [
  'core/v1',
  'meta.k8s.io/v1',
  'apidiscovery.k8s.io/v2',
  'admission.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'audit.k8s.io/v1',
  'apiserver.config.k8s.io/v1',
  'apiserver.k8s.io/v1beta1',
  'client.authentication.k8s.io/v1',
  'imagepolicy.k8s.io/v1alpha1',
  'metrics.k8s.io/v1beta1',
  'pod-security.admission.config.k8s.io/v1',
  'stats.kubelet/v1alpha1',
];

/** `core/v1.Pod` → `core/v1`. */
export const groupVersionOf = (typeName: string) => typeName.slice(0, typeName.lastIndexOf('.'));
/** `core/v1.Pod` → `Pod`. */
export const shortNameOf = (typeName: string) => typeName.slice(typeName.lastIndexOf('.') + 1);

/** The names of all types that the product needs, sorted: those of the wanted groups, and what they refer to. */
export function neededTypes(facts: Facts, resources: ResourceFacts): string[] {
  const wanted = new Set(extraGroupVersions);
  for (const { group, versions } of resources.groups) for (const version of versions) wanted.add(`${group}/${version}`);
  const needed = new Set<string>();
  const visit = (name: string) => {
    if (needed.has(name)) return;
    const type = facts.types[name];
    if (!type) throw new Error(`facts: type "${name}" is referred to and missing`);
    needed.add(name);
    for (const field of type.fields) for (const ref of refsOf(field)) visit(ref);
  };
  for (const name of Object.keys(facts.types)) if (wanted.has(groupVersionOf(name))) visit(name);
  return [...needed].sort();
}

function refsOf(type: TypeFact): string[] {
  return [type.ref, type.items && refsOf(type.items), type.values && refsOf(type.values)]
    .flat()
    .filter((ref) => ref !== undefined);
}
