import type { JobSpec, PodFailurePolicy, SuccessPolicy } from '../../generated/types/batch/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required as requiredCause, tooLong, tooMany } from '../cause.ts';
import { domainPrefixedPath } from '../names.ts';
import { podTemplate } from '../pod/spec.ts';
import { all, fields, type Rule } from '../rule.ts';
import { nonNegative, oneOf } from '../values.ts';
import { failurePolicy } from './failure-policy.ts';
import { indexesOf } from './indexes.ts';

const completionsSoftMax = 100_000;
const parallelismMaxOfMany = 10_000;
const successRulesMax = 20;
const succeededIndexesBytesMax = 64 * 1024;
const indexedParallelismMax = 100_000;
const failedIndexesMax = 100_000;
const failedIndexesMaxOfMany = 10_000;
const managedByBytesMax = 63;

const managedBy: Rule<string> = (value, path) => {
  const found = [...domainPrefixedPath(value, path)];
  if (Buffer.byteLength(value) > managedByBytesMax) found.push(tooLong(path, managedByBytesMax));
  return found;
};

const numbers = fields<JobSpec>({
  parallelism: nonNegative,
  completions: nonNegative,
  activeDeadlineSeconds: nonNegative,
  backoffLimit: nonNegative,
  ttlSecondsAfterFinished: nonNegative,
  backoffLimitPerIndex: nonNegative,
  maxFailedIndexes: nonNegative,
  managedBy,
  completionMode: oneOf('Indexed', 'NonIndexed'),
});

/** Limits by index are for indexed jobs, and within their completions. */
const byIndex: Rule<JobSpec> = (spec, path) => {
  const { completionMode, completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const found: FieldCause[] = [];
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    found.push(requiredCause(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (completionMode === undefined || completionMode === 'NonIndexed') {
    if (backoffLimitPerIndex !== undefined) {
      found.push(invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, 'requires indexed completion mode'));
    }
    if (maxFailedIndexes !== undefined) {
      found.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'requires indexed completion mode'));
    }
  }
  if (completionMode !== 'Indexed') return found;
  if (completions === undefined) found.push(requiredCause(`${path}.completions`, 'when completion mode is Indexed'));
  if (parallelism > indexedParallelismMax) {
    found.push(
      invalid(
        `${path}.parallelism`,
        parallelism,
        `must be less than or equal to ${indexedParallelismMax} when completion mode is Indexed`,
      ),
    );
  }
  const at = `${path}.maxFailedIndexes`;
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions)
      found.push(invalid(at, maxFailedIndexes, 'must be less than or equal to completions'));
    if (maxFailedIndexes > failedIndexesMax)
      found.push(invalid(at, maxFailedIndexes, `must be less than or equal to ${failedIndexesMax}`));
  }
  const isMany = (completions ?? 0) > completionsSoftMax && backoffLimitPerIndex !== undefined;
  return isMany ? [...found, ...ofMany(spec, path)] : found;
};

/** More completions than a status can tell one by one, should they fail. */
function ofMany({ parallelism = 0, maxFailedIndexes }: JobSpec, path: string): FieldCause[] {
  const at = `${path}.maxFailedIndexes`;
  const limit = (max: number) =>
    `must be less than or equal to ${max} when completions are above ${completionsSoftMax} and used with backoff limit per index`;
  const found: FieldCause[] = [];
  if (maxFailedIndexes === undefined)
    found.push(requiredCause(at, `must be specified when completions is above ${completionsSoftMax}`));
  if (parallelism > parallelismMaxOfMany)
    found.push(invalid(`${path}.parallelism`, parallelism, limit(parallelismMaxOfMany)));
  if (maxFailedIndexes !== undefined && maxFailedIndexes > failedIndexesMaxOfMany)
    found.push(invalid(at, maxFailedIndexes, limit(failedIndexesMaxOfMany)));
  return found;
}

const successRule = (
  { succeededIndexes, succeededCount }: SuccessPolicy['rules'][number],
  completions: number,
  path: string,
): FieldCause[] => {
  if (succeededIndexes === undefined && succeededCount === undefined) {
    return [requiredCause(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const found: FieldCause[] = [];
  let total = 0;
  if (succeededIndexes !== undefined) {
    if (Buffer.byteLength(succeededIndexes) > succeededIndexesBytesMax)
      found.push(tooLong(`${path}.succeededIndexes`, succeededIndexesBytesMax));
    const indexes = indexesOf(succeededIndexes, completions);
    if (indexes.error)
      found.push(
        invalid(`${path}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${indexes.error}`),
      );
    total = indexes.error ? 0 : indexes.count;
  }
  if (succeededCount === undefined) return found;
  const at = `${path}.succeededCount`;
  found.push(...nonNegative(succeededCount, at));
  if (succeededCount > completions)
    found.push(
      invalid(at, succeededCount, `must be less than or equal to ${completions} (the number of specified completions)`),
    );
  if (succeededIndexes !== undefined && succeededCount > total) {
    found.push(
      invalid(
        at,
        succeededCount,
        `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
      ),
    );
  }
  return found;
};

const successPolicy: Rule<JobSpec> = ({ successPolicy: policy, completionMode, completions = 0 }, path) => {
  if (!policy) return [];
  const at = `${path}.successPolicy`;
  if (completionMode !== 'Indexed') return [invalid(at, policy, 'requires indexed completion mode')];
  const rules = policy.rules;
  const none = 'at least one rules must be specified when the successPolicy is specified';
  if (rules.length === 0) return [requiredCause(`${at}.rules`, none)];
  const many = rules.length > successRulesMax ? [tooMany(`${at}.rules`, rules.length, successRulesMax)] : [];
  const found = rules.flatMap((rule, index) => successRule(rule, completions, `${at}.rules[${index}]`));
  return [...many, ...found];
};

const replacementPolicy: Rule<JobSpec> = ({ podReplacementPolicy: policy, podFailurePolicy }, path) => {
  const supported = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (policy === undefined || supported.includes(policy)) return [];
  return [notSupported(`${path}.podReplacementPolicy`, policy, supported)];
};

const template: Rule<JobSpec> = (spec, path) => {
  const at = `${path}.template.spec.restartPolicy`;
  const found = [...podTemplate()(spec.template, `${path}.template`)];
  const policy = spec.template.spec.restartPolicy || undefined;
  const supported = ['Never', 'OnFailure'];
  if (policy === undefined || policy === 'Always') found.push(requiredCause(at, `valid values: "OnFailure", "Never"`));
  else if (!supported.includes(policy)) found.push(notSupported(at, policy, supported));
  else if (spec.podFailurePolicy && policy !== 'Never') {
    found.push(invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
  return found;
};

/** What a Job and the Jobs of a CronJob must keep (ValidateJobSpec). */
export const jobSpec: Rule<JobSpec> = all<JobSpec>(
  numbers,
  byIndex,
  (spec, path) =>
    spec.podFailurePolicy
      ? failurePolicy(spec.podFailurePolicy as PodFailurePolicy, spec, `${path}.podFailurePolicy`)
      : [],
  successPolicy,
  replacementPolicy,
  template,
);
