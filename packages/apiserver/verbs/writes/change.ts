import { StatusError } from '@kubernode/api';
import { deepClone, deepEqual, deepFreeze, formatTime, sameJson } from '@kubernode/machinery';
import type { ResourceCall } from '../../context.ts';
import { objectIn } from '../../encode/value.ts';
import { prepared } from '../../encode/prepare.ts';
import type { ServedResource } from '../../registry.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { checkChangeable, currentUnreadable } from '../../storage/unreadable.ts';
import { parseRevision } from '../../storage/revision.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import type { Outcome } from '../../storage/writer.ts';
import { admitMutating, admitValidating } from './admit.ts';
import { keyOf } from '../get.ts';
import { hasFinalizers } from './deletion.ts';
import { afterDelete, beforeValidation, beforeWrite, type Settle } from '../hooks.ts';
import { fillDefaults, generationOf, keepStatus, triedObject } from './object-rules.ts';
import type { WriteOptions } from '../options/options.ts';
import { dropSameOwners } from './owner-references.ts';
import { clientMetadata, isFilledWhenRead, metadataKeptByStatus, type MetadataField } from '../strategies.ts';
import { validateChange, warnOf } from './validate.ts';

/** A change of one object: by PUT, PATCH, on a subresource or not. */
export interface ObjectChange {
  /** '' or the subresource whose rules hold: it decides what of the change counts. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /**
   * The wanted object, made of the current one (frozen): the caller's own copy, in the resource's version. Asked again
   * when another write came in between.
   */
  readonly make: (current: ApiObject) => ApiObject | Promise<ApiObject>;
  /** Notes who owns the changed fields, once the change is final. */
  readonly manage: (object: ApiObject, current: ApiObject) => void;
  /** Where a missing object is no error: makes the one that is stored then. Asked again as `make` is. */
  readonly makeNew?: (() => Promise<NewObject>) | undefined;
}

/** An object that is not there yet, ready for the store, and what settles its write. */
export interface NewObject {
  readonly object: ApiObject;
  readonly settle: Settle | undefined;
}

/**
 * Carries a change out: current → wanted → rules of what may change → admission → validation → store. A change that
 * changes nothing is not written. Answers the object as it is afterwards. Throws NotFound, Conflict, Invalid, …
 */
export async function changeObject(call: ResourceCall, change: ObjectChange): Promise<StoredObject | ApiObject> {
  const { resource, server } = call;
  let removed = false;
  let last: ApiObject | undefined;
  let result: ApiObject | undefined;
  const tried = async ({ object, settle }: NewObject): Promise<Outcome> => {
    await settle?.(false);
    result = await triedObject(resource, object);
    return 'unchanged';
  };
  const { dryRun } = change.options;
  const stored = await server.writer.update(resource, keyOf(call), call.request, async (current) => {
    removed = false;
    if (!current) {
      const made = await madeNew(call, change);
      return dryRun ? tried(made) : { put: made.object, settle: made.settle };
    }
    const pending = prepared(resource, current, currentUnreadable);
    if (pending) await pending;
    const old = objectIn(current, resource);
    const object = await wantedObject(call, change, old, current.revision);
    const isOutdated = resource.conversion.isOutdated?.(current) ?? false;
    const isFilled = isOutdated || (current.isAsCreated && isFilledWhenRead(resource, old));
    if (isSame(resource, object, old) && !isFilled && !server.isStale(current.key)) return 'unchanged';
    removed = isFinished(object);
    // A status takes nothing beside itself.
    const takes = !removed && change.subresource !== 'status';
    const settle = !takes ? undefined : await beforeWrite(call, { object, old, dryRun });
    // What was left out may have been filled in again as it was.
    if (settle && isSame(resource, object, old) && !isFilled && !server.isStale(current.key)) {
      await settle(false);
      return 'unchanged';
    }
    if (dryRun) return tried({ object, settle });
    if (!removed) return { put: object, settle };
    // Who lets go last is answered with the object as it would be, at the version that it was changed from.
    object.metadata.resourceVersion = String(current.revision);
    last = deepFreeze(object);
    return 'remove';
  });
  if (removed && last && stored) {
    await afterDelete(call, last);
    return last;
  }
  return result ?? stored!;
}

/** Throws NotFound where nothing is to be made. */
function madeNew(call: ResourceCall, { makeNew }: ObjectChange): Promise<NewObject> {
  const { resource, server } = call;
  if (resource.cache.lost) {
    checkChangeable(keyOf(call), resource, server.isEnabled('AllowUnsafeMalformedObjectDeletion'));
  }
  if (!makeNew) throw StatusError.notFound(resource, call.route.attributes.name);
  return makeNew();
}

async function wantedObject(
  call: ResourceCall,
  change: ObjectChange,
  old: ApiObject,
  revision: number,
): Promise<ApiObject> {
  const { resource } = call;
  const { options, subresource } = change;
  const object = await change.make(old);
  checkIdentity(call, object, old, revision);
  const isSpecSent = generationOf(resource) === 'spec-as-sent' && !deepEqual(object['spec'], old['spec']);
  call.server.dropDisabled(object, resource.shape, old);
  fillDefaults(resource, object, formatTime(call.server.clock.now()));
  dropSameOwners(call, object);
  change.manage(object, old);
  const admitted = { operation: 'UPDATE', object, oldObject: old, dryRun: options.dryRun } as const;
  // Of a binding, the Binding itself was admitted.
  if (subresource !== 'binding') await admitMutating(call, admitted);
  keepServerMetadata(object, old);
  prepare(call, change, object, old);
  if (subresource !== 'binding' && subresource !== 'status') raiseGeneration(call, object, old, isSpecSent);
  if (subresource === '') beforeValidation(call, { object, old, dryRun: options.dryRun });
  validateChange(call, object, old, subresource);
  warnOf(call, object, old, subresource);
  if (subresource !== 'binding') await admitValidating(call, admitted);
  return object;
}

function prepare(call: ResourceCall, change: ObjectChange, object: ApiObject, old: ApiObject): void {
  const { resource } = call;
  // Of a binding, the change is the server's own.
  if (change.subresource === 'binding') return;
  const own = resource.definition.subresources?.[change.subresource];
  if (own) {
    replaceWith(object, own.prepare(object, old) as ApiObject);
    if (aboutContainers.has(change.subresource)) keepMetadata(object, old, clientMetadata);
  } else if (change.subresource === 'status') keepAllButStatus(call, object, old);
  else {
    keepStatus(resource, object, old);
    resource.definition.prepareForUpdate?.(object, old, formatTime(call.server.clock.now()));
  }
}

/** Subresources of pods, which change nothing of metadata but who owns what (ResetObjectMetaForStatus). */
const aboutContainers: ReadonlySet<string> = new Set(['ephemeralcontainers', 'resize']);

function keepMetadata(object: ApiObject, old: ApiObject, fields: readonly MetadataField[]): void {
  for (const field of fields) {
    if (old.metadata[field] === undefined) delete object.metadata[field];
    else Object.assign(object.metadata, { [field]: old.metadata[field] });
  }
}

/** What a subresource left shares parts with the old object, which is frozen. */
function replaceWith(object: ApiObject, prepared: ApiObject): void {
  const own = deepClone(prepared) as ApiObject;
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, own);
}

function keepAllButStatus({ resource, server }: ResourceCall, object: ApiObject, old: ApiObject): void {
  for (const field of Object.keys(object)) if (!ownOfStatus.has(field) && !(field in old)) delete object[field];
  for (const field of Object.keys(old)) if (!ownOfStatus.has(field)) object[field] = old[field];
  keepMetadata(object, old, metadataKeptByStatus(resource));
  resource.definition.prepareForStatusUpdate?.(object, old, formatTime(server.clock.now()));
}

const ownOfStatus: ReadonlySet<string> = new Set(['status', 'metadata', 'kind', 'apiVersion']);

/** Whose object it is, and which version of it was meant. Throws Conflict, Invalid, BadRequest. */
function checkIdentity({ resource, route }: ResourceCall, object: ApiObject, old: ApiObject, revision: number): void {
  const { metadata } = object;
  const { name } = route.attributes;
  const wanted = parseRevision(metadata.resourceVersion);
  if (wanted !== undefined && wanted !== 0 && wanted !== revision) {
    throw StatusError.conflict(resource, name, objectModified);
  }
  if (metadata.uid && metadata.uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.metadata.uid}`;
    throw StatusError.conflict(resource, name, why);
  }
}

export const objectModified =
  'the object has been modified; please apply your changes to the latest version and try again';

/** What no client changes. A deletion that was not asked for is left for validation to refuse. */
function keepServerMetadata({ metadata }: ApiObject, { metadata: old }: ApiObject): void {
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

function raiseGeneration({ resource }: ResourceCall, object: ApiObject, old: ApiObject, isSpecSent: boolean): void {
  const counted = generationOf(resource);
  if (counted === 'none') return;
  // A custom resource without the subresource has a field of that name like any other.
  const countsStatus = resource.custom !== undefined && !resource.hasStatus;
  const differs = (field: string) =>
    (field !== 'status' || countsStatus) && field !== 'metadata' && !equalityOf(resource)(object[field], old[field]);
  const differsInMetadata = (field: 'annotations' | 'labels') =>
    !deepEqual(object.metadata[field], old.metadata[field]);
  const isRaised =
    isSpecSent ||
    (counted.startsWith('all')
      ? (counted === 'all-and-labels' && differsInMetadata('labels')) ||
        [...new Set([...Object.keys(object), ...Object.keys(old)])].some(differs)
      : differs('spec') || (counted === 'spec-and-annotations' && differsInMetadata('annotations')));
  if (isRaised) object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
}

/** Of custom objects and webhooks an empty list says more than none; of all others it is the same. */
const equalityOf = ({ custom, definition }: ServedResource) =>
  custom || definition.generation === 'all-to-the-letter' ? sameJson : deepEqual;

/** Whether nothing but the time of a managed field changed. */
function isSame(resource: ServedResource, object: ApiObject, old: ApiObject): boolean {
  const isEqual = equalityOf(resource);
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== 'metadata' && !isEqual(object[field], old[field])) return false;
  }
  const { resourceVersion: _new, managedFields, ...metadata } = object.metadata;
  const { resourceVersion: _old, managedFields: oldManagedFields, ...oldMetadata } = old.metadata;
  if (!deepEqual(metadata, oldMetadata)) return false;
  const withoutTime = (entries: typeof managedFields) => entries?.map(({ time: _, ...entry }) => entry);
  return managedFields === oldManagedFields || deepEqual(withoutTime(managedFields), withoutTime(oldManagedFields));
}

/** Deleted before, and nobody holds it any more: the change that lets go removes it. */
export function isFinished({ metadata, kind, apiVersion, spec }: ApiObject): boolean {
  if (kind === 'Namespace' && apiVersion === 'v1' && hasFinalizers(spec)) return false;
  return (
    Boolean(metadata.deletionTimestamp) &&
    (metadata.finalizers?.length ?? 0) === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}
