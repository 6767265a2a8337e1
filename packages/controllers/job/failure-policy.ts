import type { Job, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from '@kubernode/api/batch/v1';
import type { ContainerStatus, Pod } from '@kubernode/api/core/v1';
import { countsPerIndex, failureCountOf, hasFailed } from './job-pods.ts';

/** What the job's podFailurePolicy says of a failed pod (KEP-3329). */
export interface Verdict {
  readonly action: PodFailurePolicyRule['action'] | undefined;
  /** Whether the failure counts towards the backoff limit. */
  readonly counts: boolean;
  /** For FailJob: why. */
  readonly message?: string;
}

const counted: Verdict = { action: undefined, counts: true };

/** The first rule that matches decides; without one the failure counts. */
export function judge(pod: Pod, job: Job): Verdict {
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const { action } = rule;
    if (action === 'FailIndex' && !countsPerIndex(job)) continue;
    const what = matchOf(pod, rule);
    if (!what) continue;
    if (action === 'FailJob')
      return { action, counts: true, message: `${what} matching FailJob rule at index ${index}` };
    return { action, counts: action !== 'Ignore' };
  }
  return counted;
}

function matchOf(pod: Pod, { onExitCodes, onPodConditions }: PodFailurePolicyRule): string | undefined {
  const { name, namespace } = pod.metadata;
  if (onExitCodes) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const found = [...containerStatuses, ...initContainerStatuses].find((one) => matchesExit(one, onExitCodes));
    const exitCode = found?.state?.terminated?.exitCode;
    return found && `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const { conditions = [] } = pod.status;
  const pattern = onPodConditions?.find(({ type, status }) =>
    conditions.some((condition) => condition.type === type && condition.status === status),
  );
  return pattern && `Pod ${namespace}/${name} has condition ${pattern.type}`;
}

function matchesExit(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(exitCode) === (operator === 'In');
}

/** Why the whole job has to fail, if one of its pods says so. */
export function jobFailureMessage(job: Job, pods: readonly Pod[]): string | undefined {
  if (!job.spec.podFailurePolicy) return undefined;
  for (const pod of pods) {
    if (!hasFailed(pod, job)) continue;
    const { action, message } = judge(pod, job);
    if (action === 'FailJob') return message;
  }
  return undefined;
}

/** Whether the pod was the last try of its index (KEP-3850). */
export function endsIndex(pod: Pod, job: Job): boolean {
  const limit = job.spec.backoffLimitPerIndex;
  if (limit === undefined || !hasFailed(pod, job)) return false;
  const { action, counts } = judge(pod, job);
  return action === 'FailIndex' || (counts && failureCountOf(pod) >= limit);
}
