import { qualifiedName } from '@kubernode/machinery';
import type { JobSpec, PodFailurePolicy, PodFailurePolicyRule } from '../../generated/types/batch/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required as requiredCause, tooMany } from '../cause.ts';
import { requiredOneOf } from '../values.ts';
import { firstIndexes } from '../repeated.ts';

const rulesMax = 20;
const exitCodesMax = 255;
const conditionsMax = 20;
const statuses = ['False', 'True', 'Unknown'];

/** What is done about a pod that failed: each rule has one requirement and one action. */
export function failurePolicy(policy: PodFailurePolicy, spec: JobSpec, path: string): FieldCause[] {
  const rules = policy.rules;
  const many = rules.length > rulesMax ? [tooMany(`${path}.rules`, rules.length, rulesMax)] : [];
  const { containers, initContainers = [] } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name));
  return [...many, ...rules.flatMap((rule, index) => ruleCauses(rule, names, spec, `${path}.rules[${index}]`))];
}

function ruleCauses(rule: PodFailurePolicyRule, names: ReadonlySet<string>, spec: JobSpec, path: string): FieldCause[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const found = [...requiredOneOf('Count', 'FailIndex', 'FailJob', 'Ignore')(action, `${path}.action`)];
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    found.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes) found.push(...exitCodes(onExitCodes, names, `${path}.onExitCodes`));
  if (onPodConditions.length > conditionsMax) {
    found.push(tooMany(`${path}.onPodConditions`, onPodConditions.length, conditionsMax));
  }
  onPodConditions.forEach(({ type, status }, index) => {
    const at = `${path}.onPodConditions[${index}]`;
    found.push(...qualifiedName(type).map((detail) => invalid(`${at}.type`, type, detail)));
    if (!status) found.push(requiredCause(`${at}.status`));
    else if (!statuses.includes(status)) found.push(notSupported(`${at}.status`, status, statuses));
  });
  if (onExitCodes && onPodConditions.length > 0) {
    found.push(invalid(path, '', 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    found.push(invalid(path, '', 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return found;
}

function exitCodes(
  codes: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  names: ReadonlySet<string>,
  path: string,
): FieldCause[] {
  const { containerName, operator, values } = codes;
  const found = [...requiredOneOf('In', 'NotIn')(operator, `${path}.operator`)];
  const at = `${path}.values`;
  if (containerName !== undefined && !names.has(containerName)) {
    found.push(
      invalid(
        `${path}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  }
  if (values.length === 0) found.push(invalid(at, values, 'at least one value is required'));
  else if (values.length > exitCodesMax) found.push(tooMany(at, values.length, exitCodesMax));
  const first = firstIndexes(values);
  values.forEach((value, index) => {
    if (operator === 'In' && value === 0)
      found.push(invalid(`${at}[${index}]`, value, 'must not be 0 for the In operator'));
    if (first.get(value)! < index) found.push(duplicate(`${at}[${index}]`, value));
  });
  if (values.some((value, index) => index > 0 && value < (values[index - 1] ?? 0)))
    found.push(invalid(at, values, 'must be ordered'));
  return found;
}
