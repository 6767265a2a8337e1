import type { Pod, Toleration } from '@kubernode/api/core/v1';
import type { RuntimeClass } from '@kubernode/api/node/v1';
import { deepClone, deepEqual } from '@kubernode/machinery';
import type { AdmissionPlugin, AdmissionRequest, ClusterState } from '../../seams.ts';
import { created, refuse } from '../refuse.ts';

/** A runtime class brings its overhead and its nodes along (KEP-585, KEP-688). */
export function runtimeClassPlugin(state: ClusterState): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    resources: ['pods'],
    mutate(request) {
      const pod = created<Pod>(request, 'pods');
      if (!pod) return;
      const { runtimeClassName } = pod.spec;
      if (!runtimeClassName) return;
      const runtimeClass = state.get('node.k8s.io', 'runtimeclasses', runtimeClassName) as RuntimeClass | undefined;
      if (!runtimeClass) throw refuse(request, `pod rejected: RuntimeClass "${runtimeClassName}" not found`);
      setOverhead(request, pod, runtimeClass);
      setScheduling(request, pod, runtimeClass);
    },
    validate(request) {
      const pod = created<Pod>(request, 'pods');
      if (!pod || isEmpty(pod.spec.overhead)) return;
      const { runtimeClassName } = pod.spec;
      const runtimeClass = runtimeClassName && state.get('node.k8s.io', 'runtimeclasses', runtimeClassName);
      if (runtimeClass && (runtimeClass as RuntimeClass).overhead?.podFixed) return;
      throw refuse(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

const isEmpty = (map: object | undefined) => Object.keys(map ?? {}).length === 0;

function setOverhead(request: AdmissionRequest, pod: Pod, runtimeClass: RuntimeClass): void {
  const overhead = runtimeClass.overhead?.podFixed;
  if (!overhead) return;
  if (!isEmpty(pod.spec.overhead) && !deepEqual(pod.spec.overhead, overhead))
    throw refuse(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  pod.spec.overhead = { ...overhead };
}

function setScheduling(request: AdmissionRequest, pod: Pod, { scheduling }: RuntimeClass): void {
  for (const [label, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const selector = (pod.spec.nodeSelector ??= {});
    const given = (selector[label] ??= value);
    if (given === value) continue;
    const theirs = `runtimeClass.scheduling.nodeSelector[${label}] = ${value}`;
    throw refuse(request, `conflict: ${theirs}; pod.spec.nodeSelector[${label}] = ${given}`);
  }
  for (const toleration of scheduling?.tolerations ?? []) {
    const tolerations: Toleration[] = (pod.spec.tolerations ??= []);
    if (!tolerations.some((other) => deepEqual(other, toleration)))
      tolerations.push(deepClone(toleration) as Toleration);
  }
}
