import { scheme, type IsEnabled, type KindDefinition, type ResourceInfo } from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import { identityConversion, conversionOf, type Conversion } from './conversion.ts';
import { withSchemaRules } from './customresources/definitions/crd-rules.ts';
import { compareVersions } from './customresources/version-order.ts';
import { isServed, type RuntimeConfig } from './runtime-config.ts';
import type { ApiObject } from './storage/encoding.ts';
import { resourcePrefix } from './storage/keys.ts';
import type { ResourceCache } from './storage/resource-cache.ts';
import type { WatchCache } from './storage/watch-cache.ts';

/** One resource in one version, as it is served: the facts, the kind's definition, and where its objects are. */
export interface ServedResource {
  readonly info: ResourceInfo;
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly definition: KindDefinition;
  readonly shape: ObjectShape;
  /** '' is the resource itself. */
  readonly verbsOf: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hasStatus: boolean;
  /** Of its objects, in whatever version they are stored. */
  readonly cache: ResourceCache;
  /** Between this version and the stored one. */
  readonly conversion: Conversion;
  /** Only of custom resources. */
  readonly custom?: CustomHandling | undefined;
}

/** What is done to custom objects, whose schema is known only at run time. */
export interface CustomHandling {
  /** Who can own what; the resource's `shape` only says how objects are read and written. */
  readonly applyShape: ObjectShape;
  /** What everybody is told who uses the version. */
  readonly warning: string | undefined;
  /** Drops what the schema does not name, in place; answers the paths of what was dropped. */
  readonly prune: (object: ApiObject) => readonly string[];
  /** What is wrong with a validated object, was so before, and may stay so: the client is warned of it. */
  readonly ratcheted: (object: ApiObject) => readonly string[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

export interface ServedGroup {
  readonly group: string;
  readonly preferred: string;
  readonly versions: ReadonlyMap<string, ServedVersion>;
}

/**
 * What is served now. Everything that looks a resource up asks here, so that resources can come and go while the
 * server runs. `generation` grows with each change; what is derived from the registry (discovery) is kept by it.
 */
export class ResourceRegistry {
  readonly #groups = new Map<string, ServedGroup>();
  generation = 0;

  constructor(watchCache: WatchCache, config: RuntimeConfig, isEnabled: IsEnabled) {
    for (const info of scheme.resources) if (isServed(info, config, isEnabled)) this.#add(served(info, watchCache));
  }

  /** The groups in discovery's order; the core group ('') is among them. */
  get groups(): readonly ServedGroup[] {
    const order = new Map(scheme.groups.map(({ group }, index) => [group, index]));
    const place = (group: string) => order.get(group) ?? order.size;
    return [...this.#groups.values()].sort((a, b) => place(a.group) - place(b.group) || (a.group < b.group ? -1 : 1));
  }

  /** In every version that is served. */
  *resources(): Generator<ServedResource> {
    for (const { versions } of this.#groups.values()) {
      for (const { resources } of versions.values()) yield* resources.values();
    }
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.get(name);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#groups.get(group)?.versions.get(version)?.resources.get(plural);
  }

  /** The resource in the version that clients should prefer. */
  preferred(group: string, plural: string): ServedResource | undefined {
    const found = this.#groups.get(group);
    const ofPreferred = found?.versions.get(found.preferred)?.resources.get(plural);
    if (ofPreferred) return ofPreferred;
    for (const { resources } of found?.versions.values() ?? []) {
      const resource = resources.get(plural);
      if (resource) return resource;
    }
    return undefined;
  }

  /** Serves all versions of a custom resource. */
  addVersions(resources: readonly ServedResource[]): void {
    for (const resource of resources) this.#add(resource);
    const group = this.#groups.get(resources[0]?.group ?? '');
    if (group && resources.length > 0) sortVersions(group.versions as Map<string, ServedVersion>);
  }

  #add(resource: ServedResource): void {
    this.generation += 1;
    const group = this.#groups.get(resource.group) ?? emptyGroup(resource);
    this.#groups.set(resource.group, group);
    const versions = group.versions as Map<string, ServedVersion>;
    const version = versions.get(resource.version) ?? { version: resource.version, resources: new Map() };
    versions.set(resource.version, version);
    (version.resources as Map<string, ServedResource>).set(resource.plural, resource);
  }

  /** Ends serving a resource; versions and groups that have none left go, too. */
  remove({ group: groupName, version: versionName, plural }: ServedResource): void {
    this.generation += 1;
    const versions = this.#groups.get(groupName)?.versions as Map<string, ServedVersion> | undefined;
    const version = versions?.get(versionName);
    (version?.resources as Map<string, ServedResource> | undefined)?.delete(plural);
    if (version?.resources.size === 0) versions?.delete(versionName);
    if (versions?.size === 0) this.#groups.delete(groupName);
  }
}

/** Versions of groups that are not built in: the most mature and newest first, which is also the preferred one. */
function sortVersions(versions: Map<string, ServedVersion>): void {
  const sorted = [...versions].sort(([a], [b]) => compareVersions(a, b));
  versions.clear();
  for (const [name, version] of sorted) versions.set(name, version);
}

function emptyGroup({ group, version, custom }: ServedResource): ServedGroup {
  const known = scheme.groups.find((candidate) => candidate.group === group);
  const versions = new Map<string, ServedVersion>();
  const wanted = known?.preferred ?? (custom ? '' : version);
  return {
    group,
    versions,
    get preferred() {
      return versions.has(wanted) ? wanted : (versions.keys().next().value ?? wanted);
    },
  };
}

function served(info: ResourceInfo, watchCache: WatchCache): ServedResource {
  const { group, version, plural, namespaced, kind } = info;
  const isCustom = group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions';
  const definition = isCustom ? withSchemaRules(info.definition) : info.definition;
  const verbsOf = new Map([['', new Set(info.verbs) as ReadonlySet<string>]]);
  for (const { name, verbs } of info.subresources) verbsOf.set(name, new Set(verbs));
  const conversion = conversionOf(group, version, plural) ?? identityConversion(group, plural);
  return {
    info,
    group,
    version,
    apiVersion: kind.apiVersion,
    plural,
    kind: kind.kind,
    namespaced,
    definition,
    get shape() {
      return info.shape;
    },
    verbsOf,
    hasStatus: verbsOf.has('status'),
    cache: watchCache.of(resourcePrefix(conversion.storedGroup, conversion.storedPlural)),
    conversion,
  };
}
