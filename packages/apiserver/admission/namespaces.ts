import { StatusError, isReason, type Transport } from '@kubernode/api';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../seams.ts';
import { refuse } from './refuse.ts';

/** '' where a request is not about something in a namespace. */
function namespaceOf({ attributes }: AdmissionRequest): string {
  const isNamespace = attributes.group === '' && attributes.resource === 'namespaces';
  return isNamespace ? '' : attributes.namespace;
}

/** Makes the namespace that something is to be created in, where there is none. Off by default. */
export function namespaceAutoProvision(state: ClusterState, transport: () => Transport): AdmissionPlugin {
  const provide = async (request: AdmissionRequest, name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    try {
      await transport().request({ method: 'POST', path: '/api/v1/namespaces', body });
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw refuse(request, (error as Error).message);
    }
  };
  return {
    name: 'NamespaceAutoProvision',
    mutate(request) {
      const name = namespaceOf(request);
      if (request.operation !== 'CREATE' || request.dryRun || !name) return undefined;
      return state.get('', 'namespaces', name) ? undefined : provide(request, name);
    },
  };
}

/** Nothing is changed or deleted, either, in a namespace that is not there. Off by default. */
export function namespaceExists(state: ClusterState): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    validate(request) {
      const name = namespaceOf(request);
      if (request.operation === 'CONNECT' || !name || state.get('', 'namespaces', name)) return;
      throw StatusError.notFound({ group: '', plural: 'namespaces' }, name);
    },
  };
}
