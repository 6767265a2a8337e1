import { StatusError } from '@kubernode/api';
import type { CertificateSigningRequest } from '@kubernode/api/certificates/v1';
import type { Namespace, Pod } from '@kubernode/api/core/v1';
import { deepClone, deepEqual } from '@kubernode/machinery';
import type { ApiObject } from '../../storage/encoding.ts';

/** Puts everything back to the current object, but what `pick` takes over from the wanted one. */
function only<T>(pick: (wanted: T, result: T) => void): (object: ApiObject, current: ApiObject) => void {
  return (object, current) => {
    const wanted = { ...object } as unknown as T;
    const result = deepClone(current) as ApiObject;
    pick(wanted, result as unknown as T);
    const { resourceVersion, managedFields } = object.metadata;
    for (const field of Object.keys(object)) delete object[field];
    Object.assign(object, result);
    object.metadata.resourceVersion = resourceVersion;
    if (managedFields) object.metadata.managedFields = managedFields;
  };
}

/** `namespaces/finalize`: who finalizes a namespace says so in `spec.finalizers`. */
export const finalize = only<Namespace>((wanted, result) => {
  result.spec.finalizers = wanted.spec.finalizers;
});

/** `certificatesigningrequests/approval`: only the conditions. */
export const approval = only<CertificateSigningRequest>((wanted, result) => {
  result.status.conditions = wanted.status.conditions;
});

/** `pods/ephemeralcontainers`: containers may be added, never changed or removed. */
export const ephemeralContainers = only<Pod>((wanted, result) => {
  const added = wanted.spec.ephemeralContainers ?? [];
  for (const old of result.spec.ephemeralContainers ?? []) {
    const kept = added.find(({ name }) => name === old.name);
    const problem = !kept ? 'removed' : deepEqual(kept, old) ? undefined : 'changed';
    if (!problem) continue;
    const message = `Forbidden: existing ephemeral containers ${JSON.stringify(old.name)} may not be ${problem}\n`;
    throw StatusError.invalid({ group: '', kind: 'Pod' }, result.metadata.name ?? '', [
      { reason: 'FieldValueForbidden', message, field: 'spec.ephemeralContainers' },
    ]);
  }
  result.spec.ephemeralContainers = added;
});

/** `pods/resize`: the containers' resources and resize policies. */
export const resize = only<Pod>((wanted, result) => {
  for (const list of ['containers', 'initContainers'] as const) {
    for (const container of result.spec[list] ?? []) {
      const changed = wanted.spec[list]?.find(({ name }) => name === container.name);
      if (!changed) continue;
      container.resources = changed.resources;
      container.resizePolicy = changed.resizePolicy;
    }
  }
  if (wanted.spec.resources) result.spec.resources = wanted.spec.resources;
});
