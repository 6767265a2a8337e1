import type { Binding, Pod } from '@kubernode/api/core/v1';
import type { AdmissionPlugin, ClusterState } from '../../seams.ts';
import { created, isAbout } from '../refuse.ts';

const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** A pod carries its node's zone and region (KEP-4742); a binding's labels become the pod's when it is bound. */
export function podTopologyLabels(state: ClusterState): AdmissionPlugin {
  const copyLabels = (object: Pod | Binding, nodeName: string | undefined) => {
    const labels = nodeName ? state.get('', 'nodes', nodeName)?.metadata.labels : undefined;
    for (const label of topologyLabels) {
      const value = labels?.[label];
      // A new object each: expressions that looked at the old one remember its keys.
      if (value !== undefined) object.metadata.labels = { ...object.metadata.labels, [label]: value };
    }
  };
  return {
    name: 'PodTopologyLabels',
    resources: ['pods'],
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (pod) return copyLabels(pod, pod.spec.nodeName);
      if (request.operation !== 'CREATE' || !isAbout(request, 'pods', '', 'binding')) return;
      const binding = request.object as Binding;
      // Kinds other than Node are refused later, by validation.
      if ((binding.target.kind || 'Node') === 'Node') copyLabels(binding, binding.target.name);
    },
  };
}
