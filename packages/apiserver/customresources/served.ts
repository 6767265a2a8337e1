import { createHash } from 'node:crypto';
import {
  DecodeError,
  kind as kindOf,
  type KindDefinition,
  type KubernetesObject,
  type ResourceInfo,
} from '@kubernode/api';
import type { ObjectShape } from '@kubernode/machinery';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import type { ServedResource } from '../registry.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { resourcePrefix } from '../storage/keys.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import { customColumns } from './columns.ts';
import { customConversion } from './conversion.ts';
import { customDefinition } from './definition.ts';
import { unreadable } from './objects/embedded.ts';
import { pruned } from './objects/prune.ts';
import type { Schema } from './schema.ts';
import { applyShapeOf, customShape } from './shape.ts';
import type { Convert } from './webhook-conversion.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** What discovery tells of a resource that is about to go. */
const verbsAtTheEnd = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Every served version of a custom resource, as resources like all others. */
export function servedVersions(
  crd: CustomResourceDefinition,
  watchCache: WatchCache,
  convert: Convert | undefined,
): ServedResource[] {
  const { group, versions } = crd.spec;
  const common: Common = {
    crd,
    watchCache,
    convert,
    stored: versions.find(({ storage }) => storage),
    schemas: new Map(versions.map((each) => [`${group}/${each.name}`, each.schema?.openAPIV3Schema ?? {}])),
  };
  return versions.filter(({ served }) => served).map((version) => servedVersion(common, version));
}

/** What all versions share; there may be thousands of them. */
interface Common {
  readonly crd: CustomResourceDefinition;
  readonly watchCache: WatchCache;
  readonly convert: Convert | undefined;
  readonly stored: CustomResourceDefinitionVersion | undefined;
  readonly schemas: ReadonlyMap<string, Schema>;
}

function servedVersion(common: Common, version: CustomResourceDefinitionVersion): ServedResource {
  const { crd, watchCache, convert, schemas, stored = version } = common;
  const { group, scope } = crd.spec;
  const { plural, kind: kindName } = crd.status.acceptedNames;
  const namespaced = scope === 'Namespaced';
  const kind = kindOf<KubernetesObject>({ group, version: version.name, kind: kindName, plural, namespaced });
  const schema = version.schema?.openAPIV3Schema ?? {};
  const isEnding = Boolean(crd.metadata.deletionTimestamp);
  const columns = customColumns(version.additionalPrinterColumns);
  let applyShape: ObjectShape | undefined;
  const ratcheted = new WeakMap<object, readonly string[]>();
  const definition: KindDefinition = {
    ...customDefinition(kind, version, schema, isEnding, ratcheted),
    row: columns.row,
  };
  const info = {
    ...infoOf(common, version, kind, definition),
    columns: columns.columns,
    schema,
    ...publishedOf(crd, version),
  };
  const verbsOf = new Map<string, ReadonlySet<string>>([
    ['', new Set(verbs)],
    ...info.subresources.map(({ name }) => [name, new Set(subresourceVerbs)] as const),
  ]);
  return {
    info,
    group,
    version: version.name,
    apiVersion: kind.apiVersion,
    plural,
    kind: kindName,
    namespaced,
    definition,
    shape: customShape,
    verbsOf,
    hasStatus: verbsOf.has('status'),
    cache: watchCache.of(resourcePrefix(group, plural)),
    conversion: customConversion({
      group,
      plural,
      apiVersion: kind.apiVersion,
      storedApiVersion: `${group}/${stored.name}`,
      schemas,
      convert,
    }),
    custom: {
      warning: warningOf(version, kind),
      get applyShape() {
        return (applyShape ??= applyShapeOf(schema));
      },
      prune: (object) => pruneInPlace(object, schema),
      ratcheted: (object) => ratcheted.get(object) ?? [],
    },
  };
}

/** What only OpenAPI tells of it. */
function publishedOf(
  { spec, status }: CustomResourceDefinition,
  { selectableFields }: CustomResourceDefinitionVersion,
) {
  return {
    listKind: status.acceptedNames.listKind ?? spec.names.listKind,
    selectableFields: selectableFields?.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
  };
}

function infoOf(
  { crd, stored }: Common,
  version: CustomResourceDefinitionVersion,
  kind: ResourceInfo['kind'],
  definition: KindDefinition,
): Omit<ResourceInfo, 'columns'> {
  const { acceptedNames: names } = crd.status;
  const { group } = kind;
  const { status, scale } = version.subresources ?? {};
  return {
    group,
    version: version.name,
    plural: kind.plural,
    singular: names.singular ?? '',
    kind,
    shape: customShape,
    namespaced: kind.namespaced,
    verbs: crd.metadata.deletionTimestamp ? verbsAtTheEnd : verbs,
    subresources: [
      ...(status ? [{ name: 'status', kind: kind.kind, verbs: subresourceVerbs }] : []),
      ...(scale
        ? [{ name: 'scale', kind: 'Scale', verbs: subresourceVerbs, group: 'autoscaling', version: 'v1' }]
        : []),
    ],
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    storageVersionHash: stored?.served ? storageVersionHash(group, version.name, kind.kind) : '',
    servedByDefault: true,
    definition,
  };
}

function warningOf(version: CustomResourceDefinitionVersion, { apiVersion, kind }: ResourceInfo['kind']) {
  if (!version.deprecated) return undefined;
  return version.deprecationWarning ?? `${apiVersion} ${kind} is deprecated`;
}

/** discovery.StorageVersionHash: the first bytes of a hash; of a custom resource each version says its own. */
function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** Throws DecodeError where objects in the object cannot be read. */
function pruneInPlace(object: ApiObject, schema: Schema): readonly string[] {
  const bad = unreadable(object, schema);
  if (bad) throw new DecodeError(`${bad.field}: ${bad.message}`);
  const unknown: string[] = [];
  const kept = pruned(object, schema, unknown);
  if (kept === object) return unknown;
  for (const key of Object.keys(object)) {
    if (Object.hasOwn(kept, key)) object[key] = kept[key];
    else delete object[key];
  }
  return unknown.sort();
}
