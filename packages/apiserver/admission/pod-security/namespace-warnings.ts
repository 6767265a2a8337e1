import type { Pod } from '@kubernode/api/core/v1';
import type { ClusterState } from '../../seams.ts';
import { formatLevelVersion, reasons, violations, type LevelVersion } from './standards.ts';

/** More pods than these are not looked at while somebody waits for an answer. */
const podsMax = 3_000;

/** What is wrong with the pods of a namespace that gets stricter: pods with the same faults in one line. */
export function namespaceWarnings(
  state: ClusterState,
  namespace: string,
  enforce: LevelVersion,
  exemptRuntimeClasses: readonly string[],
): string[] {
  const pods = prioritized(state.list('', 'pods', namespace) as unknown as Pod[], exemptRuntimeClasses);
  const checked = pods.slice(0, podsMax);
  const faults = new Map<string, { first: string; count: number }>();
  for (const pod of checked) {
    const found = violations(enforce, pod);
    if (found.length === 0) continue;
    const text = reasons(found);
    const { name } = pod.metadata;
    const fault = faults.get(text) ?? { first: name, count: 0 };
    faults.set(text, { first: name < fault.first ? name : fault.first, count: fault.count + 1 });
  }
  const warnings: string[] = [];
  if (checked.length < pods.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
    );
  if (faults.size === 0) return warnings;
  const level = formatLevelVersion(enforce);
  warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`);
  return [...warnings, ...[...faults].map(([text, fault]) => `${whose(fault)}: ${text}`).sort()];
}

function whose({ first, count }: { readonly first: string; readonly count: number }): string {
  if (count === 1) return first;
  return `${first} (and ${count - 1} other pod${count === 2 ? '' : 's'})`;
}

/** Of each controller one pod first: its others are most likely the same. */
function prioritized(pods: readonly Pod[], exemptRuntimeClasses: readonly string[]): Pod[] {
  const controllers = new Set<string>();
  const [first, later]: [Pod[], Pod[]] = [[], []];
  for (const pod of pods) {
    if (pod.spec.runtimeClassName && exemptRuntimeClasses.includes(pod.spec.runtimeClassName)) continue;
    const controller = pod.metadata.ownerReferences?.find((reference) => reference.controller)?.uid;
    if (controller !== undefined && controllers.has(controller)) later.push(pod);
    else first.push(pod);
    if (controller !== undefined) controllers.add(controller);
  }
  return [...first, ...later];
}
