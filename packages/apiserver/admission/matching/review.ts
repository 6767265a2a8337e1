import { decodeValue, type KubernetesObject } from '@kubernode/api';
import type { ResourceCall } from '../../context.ts';
import type { ResourceRegistry, ServedResource } from '../../registry.ts';
import type { AdmissionRequest } from '../../seams.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { fillDefaults } from '../../verbs/writes/object-rules.ts';
import { pathsOf, scaleOf, setAt } from '../../verbs/subresources/scale-view.ts';
import { shapeOfSubresource } from '../../verbs/subresources/shapes.ts';
import { objectReader } from './object-reader.ts';
import type { Reinvocation, ReviewedRequest, ReviewedVersion } from './reviewed-request.ts';

export interface ReviewOptions {
  readonly operation: AdmissionRequest['operation'];
  /** What is stored, if all goes well; changed in place. */
  readonly object: KubernetesObject | undefined;
  /** Where the path has none: of the object. */
  readonly name: string;
  /** Of a deletion; those of writes are in the query. */
  readonly deleteOptions?: object | undefined;
  readonly reinvocation: Reinvocation;
}

/** A call as webhooks and policies see it. */
export function reviewOf(call: ResourceCall, options: ReviewOptions): ReviewedRequest {
  const { resource, server, request, route } = call;
  const { subresource, namespace } = route.attributes;
  const { operation, name, reinvocation } = options;
  const versions = versionsOf(server.registry, resource, subresource);
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  return {
    version: versions.own,
    equivalents: versions.equivalents,
    namespace: isNamespace ? name : namespace,
    name,
    options: operationOptions(operation, request.query, options.deleteOptions),
    reinvocation,
    objects: objectReader(server.registry),
    replace: (object, version) => versions.replace(options.object as ApiObject, object, version),
  };
}

interface Versions {
  readonly own: ReviewedVersion;
  readonly equivalents: readonly ReviewedVersion[];
  /** Puts a changed object, in `version`, in the place of `target`. */
  replace(target: ApiObject, changed: unknown, version: ReviewedVersion): Promise<void>;
}

const known = new WeakMap<ServedResource, { readonly generation: number; readonly by: Map<string, Versions> }>();

/** The same for all requests until what is served changes. */
function versionsOf(registry: ResourceRegistry, resource: ServedResource, subresource: string): Versions {
  let entry = known.get(resource);
  if (entry?.generation !== registry.generation) {
    entry = { generation: registry.generation, by: new Map() };
    known.set(resource, entry);
  }
  let versions = entry.by.get(subresource);
  if (!versions) entry.by.set(subresource, (versions = makeVersions(registry, resource, subresource)));
  return versions;
}

function makeVersions(registry: ResourceRegistry, resource: ServedResource, subresource: string): Versions {
  const resourceOf = new Map<ReviewedVersion, ServedResource>();
  const add = (served: ServedResource): ReviewedVersion => {
    const version = versionFrom(resource, served, subresource);
    resourceOf.set(version, served);
    return version;
  };
  const own = add(resource);
  const others = registry.groups
    .flatMap(({ versions }) => [...versions.values()])
    .flatMap(({ resources }) => [...resources.values()])
    .filter((other) => other !== resource && other.cache === resource.cache)
    .filter((other) => subresource === '' || other.verbsOf.has(subresource));
  return {
    own,
    equivalents: others.map(add),
    async replace(target, changed, version) {
      const served = resourceOf.get(version)!;
      const decoded = decodeValue<ApiObject>(changed, version.shape).object;
      if (isScaleOf(version, target)) return setReplicas(resource, target, decoded);
      if (version.kind.kind !== served.kind) return replaceWith(target, decoded);
      decoded.apiVersion = served.apiVersion;
      decoded.kind = served.kind;
      served.custom?.prune(decoded);
      fillDefaults(served, decoded);
      replaceWith(target, await converted(decoded, served, resource));
    },
  };
}

function versionFrom(from: ServedResource, to: ServedResource, subresource: string): ReviewedVersion {
  const { group, version, plural } = to;
  const { apiVersion, kind, shape } = shapeOfSubresource(to, subresource);
  const slash = apiVersion.indexOf('/');
  const isOwnKind = kind === to.kind;
  return {
    resource: { group, version, resource: plural },
    kind: { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1), kind },
    get shape() {
      return shape;
    },
    prune: isOwnKind ? to.custom?.prune : undefined,
    sortsKeys: isOwnKind && to.custom !== undefined,
    get applyShape() {
      return (isOwnKind && to.custom?.applyShape) || shape;
    },
    fromRequest(object) {
      if (isScaleOf(this, object)) return scaleOf(from, object) as unknown as ApiObject;
      return isOwnKind && from !== to ? converted(object, from, to) : object;
    },
  };
}

/** What is admitted of a change of `scale` is the parent; what is shown of it is the Scale. */
const isScaleOf = ({ kind }: ReviewedVersion, object: ApiObject) => kind.kind === 'Scale' && object.kind !== 'Scale';

function setReplicas(resource: ServedResource, target: ApiObject, scale: ApiObject): void {
  setAt(target, pathsOf(resource).specReplicas, (scale['spec'] as { replicas?: number }).replicas ?? 0);
}

/** By way of the stored version, or as a webhook converts. */
function converted(object: ApiObject, from: ServedResource, to: ServedResource): ApiObject | Promise<ApiObject> {
  if (from === to) return object;
  if (to.conversion.convert) return to.conversion.convert(object);
  return to.conversion.fromStored(from.conversion.toStored(object), to.apiVersion);
}

function replaceWith(target: ApiObject, object: ApiObject): void {
  for (const field of Object.keys(target)) if (!Object.hasOwn(object, field)) delete target[field];
  Object.assign(target, object);
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** The options of an operation as their kind prints them; a patch counts as the update that it is. */
function operationOptions(
  operation: AdmissionRequest['operation'],
  query: URLSearchParams,
  deleteOptions: object | undefined,
): object | undefined {
  if (operation === 'CONNECT') return undefined;
  const head = { kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' };
  if (operation === 'DELETE') return { ...head, ...deleteOptionsOf({ ...deleteOptions }) };
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    ...head,
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

function deleteOptionsOf(options: Readonly<Record<string, unknown>>): object {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
  const isDryRun = dryRun === true || (Array.isArray(dryRun) && dryRun.length > 0);
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(isDryRun && { dryRun: ['All'] }),
  };
}
