import type { Container, ContainerRestartRule, Pod } from '@kubernode/api/core/v1';
import { latestContainer, type RuntimePod } from './runtime-pod.ts';

/**
 * Whether a container that ended with `exitCode` runs again: the first of its own rules that matches decides, then its
 * own policy, then the pod's (KEP 5307, container restart rules).
 */
export function restartsAfterExit(container: Container, pod: Pod, exitCode: number): boolean {
  if (container.restartPolicy) {
    const rule = container.restartPolicyRules?.find((candidate) => matches(candidate, exitCode));
    if (rule?.action === 'Restart') return true;
    return policyRestarts(container.restartPolicy, exitCode);
  }
  return policyRestarts(pod.spec.restartPolicy ?? 'Always', exitCode);
}

/** Whether a container that is not as it should be is (re)started by the next sync. */
export function shouldBeStarted(container: Container, pod: Pod, runtime: RuntimePod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const latest = latestContainer(runtime, container.name);
  if (!latest) return true;
  if (latest.state === 'running') return false;
  if (latest.state !== 'exited') return true;
  return restartsAfterExit(container, pod, latest.exitCode);
}

/** Whether anything of the pod can come back after a failure. */
export function restartsOnFailure(pod: Pod): boolean {
  return (
    pod.spec.restartPolicy !== 'Never' ||
    pod.spec.containers.some(
      (container) => container.restartPolicy !== undefined && container.restartPolicy !== 'Never',
    )
  );
}

function policyRestarts(policy: string, exitCode: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function matches({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (!exitCodes) return false;
  const listed = exitCodes.values?.includes(exitCode) ?? false;
  return exitCodes.operator === 'NotIn' ? !listed : listed;
}
