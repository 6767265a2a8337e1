import { StatusError } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import type { Attributes, ClusterState } from '../seams.ts';
import type { Backend } from './kubelet-transport.ts';
import { kubeletOf } from './node-address.ts';

/** The pod that a request names. Throws NotFound. */
export function podOf(state: ClusterState, { name, namespace }: Attributes): Pod {
  const pod = state.get('', 'pods', name, namespace) as Pod | undefined;
  if (!pod) throw StatusError.notFound({ group: '', plural: 'pods' }, name);
  return pod;
}

/** The container that is asked for, or the only one. Throws BadRequest where it is not one of the pod's. */
export function containerOf(pod: Pod, asked: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map((container) => container.name);
  const podName = pod.metadata.name;
  if (asked) {
    if (names.includes(asked)) return asked;
    throw StatusError.badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  if (containers.length === 1) return containers[0]!.name;
  throw StatusError.badRequest(
    `a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`,
  );
}

/** The kubelet that runs the pod; undefined where the pod has no node. */
export function kubeletOfPod(state: ClusterState, pod: Pod): Backend | undefined {
  const { nodeName } = pod.spec;
  if (!nodeName) return undefined;
  return kubeletOf(state, nodeName, 'pods');
}
