import { podResources, StatusError } from '@kubernode/api';
import type { Node, Pod } from '@kubernode/api/core/v1';
import { compareQuantities, deepEqual, quantityMilli, quantityValue } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { isAbout, refuse } from '../refuse.ts';

/** A pod is resized only as far as its node's allocatable goes, and only on Linux (KEP-1287). */
export function podResizeValidator(state: ClusterState): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    resources: ['pods'],
    validate(request) {
      if (request.operation !== 'UPDATE' || !isAbout(request, 'pods', '', 'resize')) return;
      const [object, oldObject] = [request.object as Pod, request.oldObject as Pod];
      const { nodeName } = object.spec;
      if (!nodeName || deepEqual(object.spec, oldObject.spec)) return;
      const node = state.get('', 'nodes', nodeName) as Node | undefined;
      if (!node) throw refuse(request, `node ${JSON.stringify(nodeName)} not found`);
      const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
      if (system !== 'linux') {
        const where = `node ${JSON.stringify(nodeName)} is ${JSON.stringify(system)}`;
        throw refused(request, `pod resize is only supported on linux nodes, ${where}`, 'UnsupportedPlatform');
      }
      const excess = excessOf(object, node);
      if (excess.length > 0) {
        const why = `node didn't have enough allocatable resources: ${excess.join('; ')}`;
        throw refused(request, why, 'NodeCapacity');
      }
    },
  };
}

/** CPU is told in thousandths, memory in bytes. */
function excessOf(pod: Pod, { status }: Node): string[] {
  const requests = podResources(pod, 'requests');
  const allocatable = status?.allocatable ?? {};
  return (
    [
      ['cpu', quantityMilli],
      ['memory', quantityValue],
    ] as const
  ).flatMap(([name, show]) => {
    const [requested, there] = [requests[name] ?? 0, allocatable[name] ?? 0];
    if (compareQuantities(requested, there) <= 0) return [];
    return [`${name}, requested: ${show(requested)}, allocatable: ${show(there)}`];
  });
}

function refused(request: AdmissionRequest, why: string, reason: string): StatusError {
  const { status } = refuse(request, why);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
