import { StatusError } from '@kubernode/api';
import { deepClone, formatTime, randomSuffix } from '@kubernode/machinery';
import type { ResourceCall, Verb } from '../context.ts';
import { resourceOf } from '../route.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { objectKey } from '../storage/keys.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { admitMutating, admitValidating } from './writes/admit.ts';
import { beforeValidation, beforeWrite, type Settle } from './hooks.ts';
import { readObject } from './writes/input.ts';
import { ownFields } from './writes/managed-fields.ts';
import { clearStatus, countsGeneration, fillDefaults, triedObject } from './writes/object-rules.ts';
import { dropSameOwners } from './writes/owner-references.ts';
import { managerOf, writeOptions, type WriteOptions } from './options/options.ts';
import { formatOf, respondWritten } from './respond.ts';
import { validateNew, warnOf } from './writes/validate.ts';
import { answerVirtual } from './virtual.ts';

/** A generated name that is taken is generated anew, this often (upstream's RetryGenerateName). */
const generateAttemptsMax = 8;
const generatedPrefixLengthMax = 58;

/** POST on a collection. */
export const create: Verb = async (call) => {
  const virtual = call.server.virtualResources.get(virtualKey(call));
  if (virtual) return answerVirtual(call, virtual);
  const format = formatOf(call);
  const options = writeOptions(call.request.query, 'CreateOptions');
  const object = await readObject(call, call.resource, options);
  const created = await createObject(call, object, options);
  return respondWritten(call, created, format, 201);
};

/** The way of a decoded object into the store. `object` is the caller's to give away. */
async function createObject(
  call: ResourceCall,
  object: ApiObject,
  options: WriteOptions,
): Promise<StoredObject | ApiObject> {
  const { resourceVersion } = object.metadata;
  await prepareToCreate(call, object, options);
  const generated = !object.metadata.name && Boolean(object.metadata.generateName);
  for (let attempt = 1; ; attempt += 1) {
    const candidate = generated && attempt < generateAttemptsMax ? deepClone(object) : object;
    if (generated) candidate.metadata.name = generatedName(call, candidate);
    try {
      return await createNamed(call, candidate, options, resourceVersion);
    } catch (error) {
      const isTaken = error instanceof StatusError && error.reason === 'AlreadyExists';
      if (!isTaken || !candidate.metadata.generateName) throw error;
      if (!generated || attempt >= generateAttemptsMax) throw notUnique(call, candidate.metadata.name);
    }
  }
}

/** Makes an object that has a name ready for the store, in place; answers what settles its write, if anything. */
export async function prepareNew(
  call: ResourceCall,
  object: ApiObject,
  options: WriteOptions,
  manage?: (object: ApiObject) => void,
): Promise<Settle | undefined> {
  const { resourceVersion } = object.metadata;
  await prepareToCreate(call, object, options, manage);
  return prepareNamed(call, object, options, resourceVersion);
}

/** Everything up to the name: mutating admission sees that it is still to be generated. */
async function prepareToCreate(
  call: ResourceCall,
  object: ApiObject,
  options: WriteOptions,
  manage: (object: ApiObject) => void = (made) => {
    ownFields(call, made, undefined, managerOf(options, call.request.headers['user-agent']), '');
  },
): Promise<void> {
  const { resource, server } = call;
  placeInNamespace(call, object);
  server.dropDisabled(object, resource.shape);
  fillDefaults(resource, object, formatTime(server.clock.now()));
  dropSameOwners(call, object);
  forgetDeletion(object);
  manage(object);
  const { name } = object.metadata;
  await admitMutating(call, { operation: 'CREATE', object, oldObject: undefined, dryRun: options.dryRun, name });
}

async function createNamed(
  call: ResourceCall,
  object: ApiObject,
  options: WriteOptions,
  resourceVersion: string | undefined,
): Promise<StoredObject | ApiObject> {
  const { resource, server } = call;
  const settle = await prepareNamed(call, object, options, resourceVersion);
  if (!options.dryRun) return server.writer.create(resource, object, settle);
  await settle?.(false);
  const { name, namespace } = object.metadata;
  const key = objectKey(resource.cache.prefix, resource.namespaced ? (namespace ?? '') : '', name);
  if (resource.cache.objects.get(key)) throw StatusError.alreadyExists(resource, name);
  return triedObject(resource, object);
}

async function prepareNamed(
  call: ResourceCall,
  object: ApiObject,
  options: WriteOptions,
  resourceVersion: string | undefined,
): Promise<Settle | undefined> {
  const { resource, server } = call;
  // What admission made of the object counts: the class of service follows from its defaults.
  fillMetadata(call, object);
  clearStatus(resource, object);
  resource.definition.prepareForCreate?.(object);
  beforeValidation(call, { object, old: undefined, dryRun: options.dryRun });
  validateNew(call, object);
  warnOf(call, object, undefined);
  // Only the store minds; what is no version at all is never looked at.
  if (!options.dryRun && resourceVersion && /^0*[1-9]\d*$/.test(resourceVersion)) {
    throw StatusError.badRequest('resourceVersion should not be set on objects to be created');
  }
  const { dryRun } = options;
  const admitted = { operation: 'CREATE', object, oldObject: undefined, dryRun } as const;
  await admitValidating(call, { ...admitted, name: object.metadata.name });
  // While others were asked, a custom resource may have begun to go: nobody would delete what is made of it now.
  if (resource.custom) resourceOf(call.route, server.registry).definition.prepareForCreate?.(object);
  return beforeWrite(call, { object, old: undefined, dryRun });
}

/** The path's namespace is the object's; a body that names another is refused. */
function placeInNamespace({ resource, route }: ResourceCall, object: ApiObject): void {
  const { metadata } = object;
  const { namespace } = route.attributes;
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw StatusError.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  metadata.namespace = namespace;
}

function generatedName({ server }: ResourceCall, { metadata }: ApiObject): string {
  return (metadata.generateName ?? '').slice(0, generatedPrefixLengthMax) + randomSuffix(server.random, 5);
}

/** Worth trying again: another name may be free. */
function notUnique({ resource }: ResourceCall, name: string): StatusError {
  const { status } = StatusError.alreadyExists(resource, name);
  const message = `${status.message}, the server was not able to generate a unique name for the object`;
  return new StatusError({ ...status, message, details: { ...status.details, retryAfterSeconds: 1 } });
}

/** Nothing new is being deleted; nobody owns what was said of it. To delete what is not there takes as long. */
function forgetDeletion({ metadata }: ApiObject): void {
  for (const field of ofDeletion) if (field in metadata) delete metadata[field];
}

const ofDeletion = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const;

/** What only the server may say of a new object. */
function fillMetadata({ resource, server }: ResourceCall, { metadata }: ApiObject): void {
  metadata.resourceVersion = '';
  metadata.uid = server.newUid();
  metadata.creationTimestamp = formatTime(server.clock.now());
  if (countsGeneration(resource)) metadata.generation = 1;
}

function virtualKey({ route }: ResourceCall): string {
  const { group, version, resource, subresource } = route.attributes;
  return `${group}/${version}/${resource}/${subresource}`;
}
