import { StatusError } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { StoredObject } from './stored-object.ts';
import type { LostObject } from './unreadable-value.ts';

/** Objects that cannot be made of what is stored, for their conversion failed. Verbs say so in their own words. */
export class NotReadable extends Error {
  /** One at least. */
  readonly objects: readonly StoredObject[];
  readonly why: string;

  constructor(objects: readonly StoredObject[], cause: Error) {
    super(undecodable(objects[0]!, cause.message), { cause });
    this.name = 'NotReadable';
    this.objects = objects;
    this.why = cause.message;
  }
}

const undecodable = ({ revision }: StoredObject, why: string) => `object not decodable revision=${revision}: ${why}`;

type Names = Pick<StoredObject, 'namespace' | 'name'>;

const keyOf = ({ namespace, name }: Names, { group, plural }: ServedResource): string =>
  ['', group, plural, namespace, name].filter((part, index) => index === 0 || part).join('/');

const corrupt = (key: string, told: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${told}`;

/** The answer to a read or deletion of one object. */
export function oneUnreadable(error: unknown, resource: ServedResource): unknown {
  if (!(error instanceof NotReadable)) return error;
  const [object] = error.objects;
  return internal(corrupt(keyOf(object!, resource), undecodable(object!, error.why)));
}

function internal(message: string): StatusError {
  return StatusError.of('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The answer to a change. */
export function currentUnreadable(error: unknown): unknown {
  return error instanceof NotReadable ? failure(error.message) : error;
}

/** The answer to a list of which objects could not be read. */
export function listUnreadable(error: unknown, resource: ServedResource): unknown {
  if (!(error instanceof NotReadable)) return error;
  return storageReadError(
    error.objects.map((object) => [object, undecodable(object, error.why)]),
    resource,
  );
}

function storageReadError(objects: readonly (readonly [Names, string])[], resource: ServedResource): StatusError {
  const { group, plural } = resource;
  const causes = objects.slice(0, causesMax).map(([object, told]) => {
    const field = `/registry${keyOf(object, resource)}`;
    return { reason: 'UnexpectedServerResponse', message: corrupt(field, told), field };
  });
  const more = causes.length > 1 ? ` (and ${causes.length - 1} more)` : '';
  const text = `failed to read one or more ${plural}.${group} from the storage: ${causes[0]?.message}${more}`;
  const details = { name: 'list', group, kind: plural, causes };
  return new StatusError({ ...failure(text).status, reason: 'StorageReadError', details });
}

/** So many are told of (upstream's maxCorruptObjErrsToAggregate). */
const causesMax = 100;

const toldOf = ({ isEncrypted, revision, why }: LostObject): string =>
  isEncrypted
    ? `data from the storage is not transformable revision=0: ${why}`
    : `object not decodable revision=${revision}: ${why}`;

/**
 * Throws where the object of a key is there and cannot be read. `tellsCorrupt`: gate AllowUnsafeMalformedObjectDeletion,
 * by which errors say what is broken.
 */
export function checkReadable(key: string, resource: ServedResource, tellsCorrupt: boolean): void {
  const lost = resource.cache.lost?.get(key);
  if (lost) throw internal(tellsCorrupt ? corrupt(keyOf(lost, resource), toldOf(lost)) : lost.why);
}

/** As `checkReadable`, in the words of a change. */
export function checkChangeable(key: string, { cache }: ServedResource, tellsCorrupt: boolean): void {
  const lost = cache.lost?.get(key);
  if (!lost) return;
  const told = tellsCorrupt ? toldOf(lost) : lost.why;
  throw lost.isEncrypted ? internal(told) : failure(told);
}

/** As `checkReadable`, of all objects that a list may hold; '' for every namespace. */
export function checkAllReadable(
  { lost }: ResourceCache,
  namespace: string,
  resource: ServedResource,
  tellsCorrupt: boolean,
): void {
  const all = [...(lost?.values() ?? [])].filter((each) => namespace === '' || each.namespace === namespace);
  const [first] = all;
  if (!first) return;
  if (tellsCorrupt)
    throw storageReadError(
      all.map((each) => [each, toldOf(each)]),
      resource,
    );
  const key = `/registry${keyOf(first, resource)}`;
  throw internal(`unable to transform key ${JSON.stringify(key)}: ${first.why}`);
}

function failure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
