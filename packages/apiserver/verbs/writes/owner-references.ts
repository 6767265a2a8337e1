import type { ResourceCall } from '../../context.ts';
import type { ApiObject } from '../../storage/encoding.ts';

/**
 * An owner counts once: further references to it are dropped, with a warning (handlers.dedupOwnerReferences). Of a patch
 * they are dropped only after mutating admission.
 */
export function dropSameOwners(
  { warnings, request }: ResourceCall,
  { metadata }: ApiObject,
  isAfterAdmission = false,
): void {
  if (request.method === 'PATCH' && !isAfterAdmission) return;
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const seen = new Map<string, string>();
  const repeated = new Set<string>();
  const kept = references.filter((reference) => {
    const text = JSON.stringify(reference);
    if (seen.get(reference.uid) !== text) {
      seen.set(reference.uid, text);
      return true;
    }
    repeated.add(reference.uid);
    return false;
  });
  if (repeated.size === 0) return;
  metadata.ownerReferences = kept;
  const when = isAfterAdmission ? ' after mutating admission happens' : '';
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; ` +
      'API server dedups owner references in 1.20+, ' +
      'and may reject such requests as early as 1.24; please fix your requests; ' +
      `duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  );
}
