import { StatusError } from '@kubernode/api';
import type { ServedResource } from '../registry.ts';
import type { StoredObject } from './stored-object.ts';

/** An object that cannot be made of what is stored, for its conversion failed. Verbs say so in their own words. */
export class NotReadable extends Error {
  readonly object: StoredObject;

  constructor(object: StoredObject, cause: Error) {
    super(`object not decodable revision=${object.revision}: ${cause.message}`, { cause });
    this.name = 'NotReadable';
    this.object = object;
  }
}

const corrupt = ({ message, object }: NotReadable, { group, plural }: ServedResource, root = ''): string => {
  const key = [root, group, plural, object.namespace, object.name].filter((part, index) => index === 0 || part);
  return `StorageError: corrupt object, Code: 7, Key: ${key.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
};

/** The answer to a read or deletion of one object. */
export function oneUnreadable(error: unknown, resource: ServedResource): unknown {
  if (!(error instanceof NotReadable)) return error;
  const message = corrupt(error, resource);
  return StatusError.of('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The answer to a change. */
export function currentUnreadable(error: unknown): unknown {
  return error instanceof NotReadable ? failure(error.message) : error;
}

/** The answer to a list of `count` objects of which none could be read. */
export function listUnreadable(error: unknown, resource: ServedResource, count: number): unknown {
  if (!(error instanceof NotReadable)) return error;
  const { group, plural } = resource;
  const message = corrupt(error, resource, '/registry');
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  const text = `failed to read one or more ${plural}.${group} from the storage: ${message}${more}`;
  const causes = [{ reason: 'UnexpectedServerResponse', message }];
  const { status } = failure(text);
  const details = { name: 'list', group, kind: plural, causes };
  return new StatusError({ ...status, reason: 'StorageReadError', details });
}

function failure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
