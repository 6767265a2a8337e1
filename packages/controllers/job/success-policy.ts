import type { Job } from '@kubernode/api/batch/v1';
import { Indexes } from './indexes.ts';
import { isIndexed } from './job-pods.ts';

/** Which rule of the success policy is met (KEP-3998), as the message of the condition; undefined if none. */
export function successMessage(job: Job, succeeded: Indexes): string | undefined {
  const { successPolicy, completions } = job.spec;
  if (!successPolicy || !isIndexed(job) || succeeded.size === 0) return undefined;
  const at = successPolicy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeeded.size >= (succeededCount ?? Infinity);
    const wanted = Indexes.parse(succeededIndexes, completions);
    const matching = [...wanted].filter((index) => succeeded.has(index)).length;
    return matching >= (succeededCount ?? wanted.size);
  });
  return at < 0 ? undefined : `Matched rules at index ${at}`;
}
