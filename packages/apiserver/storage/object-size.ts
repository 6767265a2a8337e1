import { StatusError } from '@kubernode/api';
import type { ApiObject } from './encoding.ts';
import type { StoredObject } from './stored-object.ts';

/** What one object may take, in JSON: patch after patch could add to it for ever. Four times what etcd takes by default. */
const objectBytesMax = 6 * 1024 * 1024;
/** An object that fills all of it can still be deleted: the mark and the work of its finalizers take some more. */
const deletionBytesMax = objectBytesMax + 64 * 1024;

/**
 * Throws RequestEntityTooLarge where an object that takes `bytes` may not be stored in place of `current`. One that was too
 * large already may be marked for deletion, and changed without growing: nobody could get rid of it otherwise.
 */
export function checkObjectSize(bytes: number, { metadata }: ApiObject, current: StoredObject | undefined): void {
  if (bytes <= objectBytesMax) return;
  const isMarked = metadata.deletionTimestamp !== undefined;
  if (isMarked && bytes <= deletionBytesMax) return;
  if (current) {
    if (isMarked && current.object.metadata.deletionTimestamp === undefined) return;
    // Its revision is one digit so far.
    if (bytes - 1 + String(current.revision).length <= current.byteLength) return;
  }
  throw StatusError.tooLarge(`the object would take ${bytes} bytes, limit is ${objectBytesMax}`);
}
