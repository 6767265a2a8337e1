import { isReason } from '@kubernode/api';

/** Whether a creation was refused because its namespace is ending, or gone. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (isReason(error, 'NotFound')) return true;
  if (!isReason(error, 'Forbidden')) return false;
  return (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}
