import type { ObjectShape } from '@kubernode/machinery';
import type { KindDefinition } from './definition.ts';
import { kind as kindOf } from './kind.ts';
import type { Kind, KubernetesObject } from './kind.ts';
import { definitions } from './kinds/index.ts';
import { shapeOfKind } from './shapes.ts';
import facts from './generated/resources.json' with { type: 'json' };

/** All that is known of one resource in one version: the facts, and the kind's own definition. */
export interface ResourceInfo {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The resource in a path: `deployments`. */
  readonly plural: string;
  readonly singular: string;
  readonly kind: Kind<KubernetesObject>;
  /** Of the kind's objects; made when first asked for. */
  readonly shape: ObjectShape;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly ColumnInfo[];
  /** '' where the resource is never stored. */
  readonly storageVersionHash: string;
  /** False: only with `--runtime-config`. */
  readonly servedByDefault: boolean;
  readonly definition: KindDefinition;
}

export interface SubresourceInfo {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Of the kind in bodies, where it is not the resource's own. */
  readonly group?: string;
  readonly version?: string;
}

/** A column of a Table. */
export interface ColumnInfo {
  readonly name: string;
  /** string, integer, number, boolean or date. */
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Above 0: only in wide output. */
  readonly priority?: number;
}

export interface GroupInfo {
  readonly group: string;
  /** The preferred one need not be first. */
  readonly versions: readonly string[];
  readonly preferred: string;
}

/** Every built-in resource, by its path or by its kind. */
export interface Scheme {
  /** Of Kubernetes, that the facts are of: `v1.37.1`. */
  readonly release: string;
  /** In the order in which discovery lists them. */
  readonly resources: readonly ResourceInfo[];
  byResource(group: string, version: string, plural: string): ResourceInfo | undefined;
  /** The resource whose objects are of this kind: `scheme.byKind('apps/v1', 'Deployment')`. */
  byKind(apiVersion: string, kind: string): ResourceInfo | undefined;
  /** The named groups in discovery's order, without the core group. */
  readonly groups: readonly GroupInfo[];
  /** The same with only the versions that are served when nothing is configured. */
  readonly groupsServedByDefault: readonly GroupInfo[];
}

interface ResourceRow {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly servedByDefault?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources?: readonly SubresourceInfo[];
  readonly columns?: readonly ColumnInfo[];
  readonly deprecation?: string;
}

const defined = new Map(definitions.map((definition) => [keyOf(definition.kind), definition]));
const resources = (facts.resources as readonly ResourceRow[]).map(resourceInfo);
const byResource = new Map(resources.map((info) => [`${info.group}/${info.version}/${info.plural}`, info]));
const byKind = new Map(resources.map((info) => [keyOf(info.kind), info]));

export const scheme: Scheme = {
  release: facts.release,
  resources,
  byResource: (group, version, plural) => byResource.get(`${group}/${version}/${plural}`),
  byKind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
  groups: facts.groups,
  groupsServedByDefault: facts.groupsServedByDefault,
};

/** A kind without a definition of its own is data alone: the facts say all there is. */
function resourceInfo(row: ResourceRow): ResourceInfo {
  const { group, version, resource: plural, namespaced } = row;
  const named = kindOf<KubernetesObject>({ group, version, kind: row.kind, plural, namespaced });
  let shape: ObjectShape | undefined;
  return {
    group,
    version,
    plural,
    singular: row.singular,
    kind: named,
    get shape() {
      shape ??= shapeOfKind(named);
      return shape;
    },
    namespaced,
    verbs: row.verbs,
    subresources: row.subresources ?? [],
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    columns: row.columns ?? [],
    storageVersionHash: row.storageVersionHash ?? '',
    servedByDefault: row.servedByDefault ?? false,
    definition: withDeprecation(defined.get(keyOf(named)) ?? { kind: named }, row.deprecation),
  };
}

/** What the release says, where the kind does not say more. */
function withDeprecation(definition: KindDefinition, deprecation: string | undefined): KindDefinition {
  return deprecation === undefined || definition.deprecation !== undefined
    ? definition
    : { ...definition, deprecation };
}

function keyOf(kind: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind.apiVersion}/${kind.kind}`;
}
