import { StatusError } from '@kubernode/api';
import type { Namespace } from '@kubernode/api/core/v1';
import type { AdmissionPlugin, ClusterState } from '../seams.ts';
import { isAbout, refuse } from './refuse.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Nothing is created in a namespace that is not there or is on its way out, and some namespaces are never deleted. */
export function namespaceLifecycle(state: ClusterState): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    validate(request) {
      const { name } = request.attributes;
      if (request.operation === 'DELETE' && isAbout(request, 'namespaces') && immortal.has(name))
        throw StatusError.forbidden({ group: '', plural: 'namespaces' }, name, 'this namespace may not be deleted');
    },
    mutate(request) {
      const { namespace, resource } = request.attributes;
      if (!namespace || resource === 'namespaces') return;
      if (request.operation === 'UPDATE' || request.operation === 'DELETE') return;
      // An answer about the namespace would tell those who may only ask for their rights that it exists.
      if (resource === 'localsubjectaccessreviews') return;
      const found = state.get('', 'namespaces', namespace) as Namespace | undefined;
      if (!found) throw StatusError.notFound({ group: '', plural: 'namespaces' }, namespace);
      if (request.operation !== 'CREATE' || found.status?.phase !== 'Terminating') return;
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      const refusal = refuse(request, why);
      const cause = {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      };
      throw new StatusError({ ...refusal.status, details: { ...refusal.status.details, causes: [cause] } });
    },
  };
}
