import { dns1123Subdomain } from '@kubernode/machinery';
import type { JobSpec, PodFailurePolicy, SuccessPolicy } from '../../generated/types/batch/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required as requiredCause, tooLong } from '../cause.ts';
import { podTemplate } from '../pod/spec.ts';
import { all, fields, type Rule } from '../rule.ts';
import { nonNegative, oneOf } from '../values.ts';
import { failurePolicy } from './failure-policy.ts';
import { indexesOf } from './indexes.ts';

const indexedCompletionsMax = 1_000_000_000;
const indexedParallelismMax = 100_000;
const failedIndexesMax = 100_000;
const failedIndexesMaxOfMany = 10_000;
const managedByBytesMax = 63;

const managedBy: Rule<string> = (value, path) => {
  if (value === '') return [requiredCause(path, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const [domain = '', name = ''] = value.split('/', 2);
  const found: FieldCause[] = [];
  if (!name || dns1123Subdomain(domain).length > 0) {
    found.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  }
  if (value.length > managedByBytesMax) found.push(tooLong(path, managedByBytesMax));
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
  if (completions === undefined) {
    return [...found, requiredCause(`${path}.completions`, 'when completion mode is Indexed')];
  }
  if (completions > indexedCompletionsMax) {
    found.push(
      invalid(
        `${path}.completions`,
        completions,
        `must be less than or equal to ${indexedCompletionsMax} when completion mode is Indexed`,
      ),
    );
  }
  if (parallelism > indexedParallelismMax) {
    found.push(
      invalid(
        `${path}.parallelism`,
        parallelism,
        `must be less than or equal to ${indexedParallelismMax} when completion mode is Indexed`,
      ),
    );
  }
  if (maxFailedIndexes === undefined) return found;
  const at = `${path}.maxFailedIndexes`;
  if (maxFailedIndexes > completions)
    found.push(invalid(at, maxFailedIndexes, 'must be less than or equal to completions'));
  const limit = completions > failedIndexesMax ? failedIndexesMaxOfMany : failedIndexesMax;
  if (maxFailedIndexes > limit) found.push(invalid(at, maxFailedIndexes, `must be less than or equal to ${limit}`));
  return found;
};

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
  if (rules.length === 0) return [requiredCause(`${at}.rules`, 'must specify at least one rule')];
  return rules.flatMap((rule, index) => successRule(rule, completions, `${at}.rules[${index}]`));
};

const replacementPolicy: Rule<JobSpec> = ({ podReplacementPolicy: policy, podFailurePolicy }, path) => {
  const supported = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (policy === undefined || supported.includes(policy)) return [];
  return [notSupported(`${path}.podReplacementPolicy`, policy, supported)];
};

const template: Rule<JobSpec> = (spec, path) => {
  const at = `${path}.template.spec.restartPolicy`;
  const found = [...podTemplate()(spec.template, `${path}.template`)].filter(({ field }) => field !== at);
  const policy = spec.template.spec.restartPolicy;
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
