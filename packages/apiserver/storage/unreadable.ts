import { StatusError } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { StoredObject } from './stored-object.ts';

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

const keyOf = ({ namespace, name }: StoredObject, { group, plural }: ServedResource): string =>
  ['', group, plural, namespace, name].filter((part, index) => index === 0 || part).join('/');

const corrupt = (key: string, object: StoredObject, why: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${undecodable(object, why)}`;

/** The answer to a read or deletion of one object. */
export function oneUnreadable(error: unknown, resource: ServedResource): unknown {
  if (!(error instanceof NotReadable)) return error;
  const [object] = error.objects;
  const message = corrupt(keyOf(object!, resource), object!, error.why);
  return StatusError.of('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The answer to a change. */
export function currentUnreadable(error: unknown): unknown {
  return error instanceof NotReadable ? failure(error.message) : error;
}

/** The answer to a list of which objects could not be read. */
export function listUnreadable(error: unknown, resource: ServedResource): unknown {
  if (!(error instanceof NotReadable)) return error;
  const { group, plural } = resource;
  const causes = error.objects.map((object) => {
    const field = `/registry${keyOf(object, resource)}`;
    return { reason: 'UnexpectedServerResponse', message: corrupt(field, object, error.why), field };
  });
  const more = causes.length > 1 ? ` (and ${causes.length - 1} more)` : '';
  const text = `failed to read one or more ${plural}.${group} from the storage: ${causes[0]?.message}${more}`;
  const details = { name: 'list', group, kind: plural, causes };
  return new StatusError({ ...failure(text).status, reason: 'StorageReadError', details });
}

function failure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
