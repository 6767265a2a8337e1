import { isReason } from '@kubernode/api';

/** Whether a creation was refused because its namespace is ending, or gone. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (isReason(error, 'NotFound')) return true;
  if (!isReason(error, 'Forbidden')) return false;
  return (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

/** What `work` answers; undefined where the namespace ended first: then there is nothing left to do in it. */
export async function unlessTerminating<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    throw error;
  }
}
