import { StatusError } from '@kubernode/api';
import { deepClone, deepFreeze, formatTime } from '@kubernode/machinery';
import type { ResourceCall } from '../../context.ts';
import { prepared } from '../../encode/prepare.ts';
import { objectIn } from '../../encode/value.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { oneUnreadable } from '../../storage/unreadable.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { admitMutating, admitValidating } from './admit.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import { checkFound } from '../get.ts';
import { afterDelete } from '../hooks.ts';
import { generationOf } from './object-rules.ts';
import { collectsGarbage, deletesByItself, groupOfKind } from '../strategies.ts';

/** What a deletion came to. */
export interface Deleted {
  /** Gone, or only marked: finalizers and grace keep it for now. */
  readonly gone: boolean;
  readonly object: StoredObject | ApiObject;
}

/**
 * Deletes one object: at once, or, where finalizers or a grace period hold it, by marking it. Throws NotFound,
 * Conflict where the preconditions do not hold.
 */
export async function deleteObject(
  call: ResourceCall,
  key: string,
  name: string,
  options: DeleteOptions,
): Promise<Deleted> {
  const { resource, server } = call;
  let gone = false;
  let found: ApiObject | undefined;
  let marked: ApiObject | undefined;
  let marksFirst = false;
  let stored = await server.writer.update(resource, key, call.request, async (current) => {
    gone = marksFirst = false;
    found = marked = undefined;
    if (!current) return 'unchanged';
    const pending = prepared(resource, current, oneUnreadable);
    if (pending) await pending;
    const old = objectIn(current, resource);
    found = old;
    checkPreconditions(call, name, options, current);
    const { dryRun } = options;
    const admitted = { operation: 'DELETE', object: undefined, oldObject: old, dryRun } as const;
    await admitMutating(call, { ...admitted, deleteOptions: options });
    await admitValidating(call, { ...admitted, deleteOptions: decidedOptions(call, old, options) });
    marked = markedForDeletion(call, old, options);
    gone = isGone(marked);
    if (options.dryRun) return 'unchanged';
    // Kinds with grace show that there is none (left) before they go, for those who watch.
    marksFirst = gone && marked !== old && resource.definition.gracePeriodSeconds !== undefined;
    if (gone && !marksFirst) return 'remove';
    return marked === old ? 'unchanged' : { put: marked };
  });
  if (!found && resource.cache.lost) checkFound(call, key);
  if (!found) throw StatusError.notFound(resource, name);
  if (options.dryRun) return { gone, object: marked ? deepFreeze(marked) : found };
  if (marksFirst) {
    const { uid } = found.metadata;
    const removed = await server.writer.update(resource, key, call.request, (current) =>
      current?.object.metadata.uid === uid && isGone(current.object) ? 'remove' : 'unchanged',
    );
    // Where somebody else has removed it, it was last seen as it was marked.
    if (removed?.object.metadata.uid === uid) stored = removed;
  }
  if (gone) await afterDelete(call, found);
  if (gone && marked && marked !== found)
    return { gone, object: deepFreeze(atRevision(marked, stored?.revision ?? 0)) };
  return { gone, object: stored! };
}

function atRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function isGone({ metadata, kind, apiVersion, spec }: ApiObject): boolean {
  if (kind === 'Namespace' && apiVersion === 'v1' && hasFinalizers(spec)) return false;
  return (metadata.finalizers?.length ?? 0) === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Throws Conflict; namespaces and definitions of resources look for themselves, and say it in other words. */
export function checkPreconditions(
  { resource }: ResourceCall,
  name: string,
  { preconditions }: DeleteOptions,
  current: StoredObject,
): void {
  const { uid } = current.object.metadata;
  const isOwn = deletesByItself(resource);
  const named = isOwn ? resource : { group: groupOfKind(resource), plural: resource.kind };
  const conflict = (what: string, wanted: string, found: string, since: string) => {
    const own = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    const common = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found})`;
    return StatusError.conflict(named, name, isOwn ? own : `${common}. The object might have been ${since}`);
  };
  if (preconditions?.uid && preconditions.uid !== uid)
    throw conflict('UID', preconditions.uid, uid ?? '', 'deleted and then recreated');
  const wanted = preconditions?.resourceVersion;
  if (wanted !== undefined && wanted !== String(current.revision))
    throw conflict('ResourceVersion', wanted, String(current.revision), 'modified');
}

/** The object as a deletion leaves it; the same one where nothing is to be noted. */
function markedForDeletion(call: ResourceCall, old: ApiObject, options: DeleteOptions): ApiObject {
  const { clock } = call.server;
  // Its finalizers were set when it was first deleted, and nothing goes before its contents.
  if (isNamespace(old) && old.metadata.deletionTimestamp && hasFinalizers(old['spec'])) return old;
  const finalizers = finalizersAfter(call, old, options);
  const graceSeconds = graceOf(call, old, options);
  const { metadata } = old;
  const isMarked = Boolean(metadata.deletionTimestamp);
  const oldGraceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const isSameFinalizers = sameList(finalizers, metadata.finalizers ?? []);
  const isFirstByStore =
    isMarked && call.resource.definition.markForDeletion && metadata.deletionGracePeriodSeconds === undefined;
  if (isFirstByStore) {
    const object = deepClone(old) as ApiObject;
    if (finalizers.length > 0) object.metadata.finalizers = finalizers;
    else delete object.metadata.finalizers;
    object.metadata.deletionGracePeriodSeconds = 0;
    return object;
  }
  if (isMarked && graceSeconds >= oldGraceSeconds && isSameFinalizers) return old;
  // What goes at once is answered as it was, but for kinds with grace, whose mark says that there was none.
  const { gracePeriodSeconds, markForDeletion } = call.resource.definition;
  const goesAtOnce = !gracePeriodSeconds && !markForDeletion && !isNamespace(old);
  if (!isMarked && finalizers.length === 0 && goesAtOnce) {
    return isSameFinalizers ? old : without(old);
  }
  const object = deepClone(old) as ApiObject;
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  if (isMarked && graceSeconds >= oldGraceSeconds) return object;
  const nowMs = clock.now();
  if (!isMarked && call.resource.definition.markForDeletion) {
    // Its own deletion looks at no propagation policy.
    if (metadata.finalizers) object.metadata.finalizers = [...metadata.finalizers];
    else delete object.metadata.finalizers;
    call.resource.definition.markForDeletion(object, formatTime(nowMs));
    return object;
  }
  if (isNamespace(object)) {
    object.metadata.deletionTimestamp = formatTime(nowMs);
    object['status'] = { ...(object['status'] as object), phase: 'Terminating' };
    return object;
  }
  object.metadata.deletionTimestamp = isMarked
    ? earlier(metadata.deletionTimestamp!, nowMs + durationMs(graceSeconds))
    : formatTime(nowMs + durationMs(graceSeconds));
  object.metadata.deletionGracePeriodSeconds = graceSeconds;
  if (!isMarked && generationOf(call.resource) !== 'none' && (metadata.generation ?? 0) > 0) {
    object.metadata.generation = Number(metadata.generation) + 1;
  }
  return object;
}

/** As Go counts: in nanoseconds of 64 bits, which wrap. */
const durationMs = (seconds: number): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

const isNamespace = ({ kind, apiVersion }: ApiObject) => kind === 'Namespace' && apiVersion === 'v1';

const without = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: undefined },
});

const earlier = (time: string, otherMs: number) => (Date.parse(time) < otherMs ? time : formatTime(otherMs));

/** A namespace is held by `spec.finalizers` until its contents are gone, and is Terminating meanwhile. */
export function hasFinalizers(spec: unknown): boolean {
  return ((spec as { finalizers?: readonly string[] } | undefined)?.finalizers?.length ?? 0) > 0;
}

/** What validating admission is shown: of a single object, with the grace period that it gets. */
function decidedOptions(call: ResourceCall, object: ApiObject, options: DeleteOptions): DeleteOptions {
  const { resource, route } = call;
  const isSingle = route.attributes.name !== '';
  const isDecided = isSingle && resource.definition.gracePeriodSeconds && !object.metadata.deletionTimestamp;
  return isDecided ? { ...options, gracePeriodSeconds: graceOf(call, object, options) } : options;
}

/** A grace period is only for kinds that have one (pods); the client may ask for another one. */
function graceOf({ resource }: ResourceCall, object: ApiObject, options: DeleteOptions): number {
  const { gracePeriodSeconds } = resource.definition;
  if (!gracePeriodSeconds) return 0;
  if (hasNoGrace(object)) return 0;
  const own = gracePeriodSeconds(object);
  const { metadata } = object;
  const asked =
    options.gracePeriodSeconds ?? (metadata.deletionTimestamp ? metadata.deletionGracePeriodSeconds : own) ?? own;
  return asked < 0 ? 1 : asked;
}

/** Nothing runs yet, or any more: there is nobody to be given time (pod strategy, CheckGracefulDelete). */
function hasNoGrace(object: ApiObject): boolean {
  const { nodeName } = (object['spec'] ?? {}) as { nodeName?: string };
  const { phase } = (object['status'] ?? {}) as { phase?: string };
  return !nodeName || phase === 'Failed' || phase === 'Succeeded';
}

/** What `propagationPolicy` leaves to the garbage collector. */
function finalizersAfter({ resource }: ResourceCall, { metadata }: ApiObject, options: DeleteOptions): string[] {
  if (!collectsGarbage(resource)) return [...(metadata.finalizers ?? [])];
  const policy =
    options.propagationPolicy ??
    legacyPolicy(options) ??
    defaultPolicy(resource.apiVersion, resource.kind, metadata.finalizers);
  const others = (metadata.finalizers ?? []).filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  if (policy === 'Orphan') return [...others, 'orphan'];
  if (policy === 'Foreground') return [...others, 'foregroundDeletion'];
  return policy === 'Background' ? others : [...(metadata.finalizers ?? [])];
}

function legacyPolicy({ orphanDependents }: DeleteOptions): DeleteOptions['propagationPolicy'] {
  return orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background';
}

/** Two old kinds leave their dependents alone unless told otherwise (DefaultGarbageCollectionPolicy). */
function defaultPolicy(
  apiVersion: string,
  kind: string,
  finalizers: readonly string[] | undefined,
): DeleteOptions['propagationPolicy'] {
  if (finalizers?.includes('orphan') || finalizers?.includes('foregroundDeletion')) return undefined;
  const orphans =
    (apiVersion === 'v1' && kind === 'ReplicationController') || (apiVersion === 'batch/v1' && kind === 'Job');
  return orphans ? 'Orphan' : undefined;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
